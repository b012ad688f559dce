// How structure lines, headings, rows and items end: what was gathered since they began decides
// their form.
const CLOSERS = {
  block(em, token) {
    em.line();
    em.depth--;
    em.cont = token.cont;
    if (token.full) return undefined;
    const count = em.texts.length - token.at;
    if (count === 0 && !token.named) return em.drop(token.at - 1);
    if (count !== 1) return undefined;
    if (token.word === 'list') return unwrap(em, token.at);
    if (em.kinds[token.at] === TEXT && !token.named) {
      const text = em.texts[token.at];
      em.drop(token.at);
      em.texts[token.at - 1] += ` "${guard(text)}"`;
    }
    return undefined;
  },

  main(em, token) {
    em.line();
    if (token.full) return undefined;
    if (em.texts.length === token.at) return em.drop(token.at - 1);
    em.mainEnded = true;
    return undefined;
  },

  heading(em, token) {
    em.line();
    const text = em.joined(token.at);
    const marks = '#'.repeat(token.level);
    if (text === null) return headingWithRefs(em, token, marks);
    if (text === '') return undefined;
    if (em.items > 0) return undefined; // inside an item its words are part of the name
    em.drop(token.at);
    em.cont = false;
    em.push(`${marks} ${bare(guard(text))}`, HEAD);
    return undefined;
  },

  caption(em, token) {
    em.line();
    const text = em.joined(token.at);
    const head = token.at - 1;
    const known = /^(?:group|table|grid|radiogroup)$/.test(em.texts[head] || '');
    if (!text || !known || em.items > 0) return undefined;
    em.drop(token.at);
    em.texts[head] += ` "${guard(escapeQuotes(text))}"`;
    em.cont = false;
    return undefined;
  },

  'item-end'(em, token) {
    em.line();
    const { texts, depths } = em;
    if (em.items > 0) return;
    let below = false; // what follows the item's first block stands one deeper
    for (let i = token.at + 1; i < texts.length; i++) {
      below ||= depths[i] <= depths[token.at];
      if (below) depths[i]++;
    }
  },

  cell(em, token) {
    em.line();
    token.to = em.texts.length;
    em.cont = false;
  },

  row(em, token) {
    em.line();
    em.row = token.outer;
    const cells = token.cells.filter((cell) => cell.to >= 0);
    if (cells.length < 2) return undefined;
    const parts = cells.map((cell) => cellText(em, cell));
    if (parts.includes(null)) return undefined;
    while (parts.length && parts[parts.length - 1] === '') parts.pop();
    const acts = em.kinds.slice(token.at).includes(REF);
    em.drop(token.at);
    em.cont = false;
    if (!parts.length) return undefined;
    const mark = token.heads === cells.length ? '|=' : '|';
    em.push(mark + parts.join('|'), acts ? REF : em.items > 0 ? TEXT : ROW);
    return undefined;
  },

  act(em, token, walk) {
    em.line();
    em.items--;
    if (token.act.loose) em.loose--;
    em.item = token.outer;
    em.depth = token.depth;
    em.cont = token.cont;
    const own = token.at - 1;
    if (token.full) return undefined;
    const text = em.joined(token.at);
    const small = text !== null && (token.act.strong || text.length <= 200);
    if (!small && token.act.weak && text !== null && !token.act.sure) return demote(em, token);
    if (text === null && token.act.heard) return demote(em, token); // it listens for what is in it
    const line = actLine(em, token, small ? text : firstWords(em, token), walk, small);
    if (small) em.drop(token.at);
    if (line === null) return em.drop(own);
    em.size += line.length;
    em.texts[own] = line;
    em.refs++;
    return undefined;
  },
};

// A list of one is no list.
const unwrap = (em, at) => {
  const [text, kind, depth] = [em.texts[at], em.kinds[at], em.depths[at] - 1];
  em.drop(at - 1);
  em.add(text, kind, depth);
};

// Long text under a pointer cursor alone is content, not a control.
const demote = (em, token) => {
  const own = token.at - 1;
  em.texts.splice(own, 1);
  em.kinds.splice(own, 1);
  for (let i = own + 1; i < em.depths.length; i++) em.depths[i]--;
  em.depths.splice(own, 1);
};

const headingWithRefs = (em, token, marks) => {
  const count = em.texts.length - token.at;
  if (count === 1 || em.depths[token.at] < em.depths[token.at + 1]) {
    const first = em.texts[token.at];
    em.texts[token.at] = `${marks} ${em.kinds[token.at] === TEXT ? bare(guard(first)) : first}`;
    if (em.kinds[token.at] === TEXT) em.kinds[token.at] = HEAD;
    return;
  }
  em.texts.splice(token.at, 0, marks);
  em.kinds.splice(token.at, 0, STRUCT);
  em.depths.splice(token.at, 0, em.depth);
  for (let i = token.at + 1; i < em.depths.length; i++) em.depths[i]++;
};

// The text of a cell on a row line, or null when it is too much for one.
const cellText = (em, cell) => {
  const count = cell.to - cell.from;
  if (count === 0) return '';
  if (count > 4) return null;
  const parts = [];
  let acts = false;
  for (let i = cell.from; i < cell.to; i++) if (em.kinds[i] === REF) acts = true;
  for (let i = cell.from; i < cell.to; i++) {
    const kind = em.kinds[i];
    if (kind === STRUCT || kind === ROW) return null;
    let text = em.texts[i];
    if (kind === REF && text.startsWith('|')) return null;
    if (text.length > 300) return null;
    if (kind === HEAD) text = text.replace(/^#+ /, '');
    if (kind !== REF) text = acts ? `"${guard(escapeQuotes(text))}"` : guard(text);
    parts.push(text);
  }
  if (acts) return parts.join(' ');
  return bare(parts.join(' ').replaceAll('|', '\\|'));
};

// The line of an item: ref, role, states, target, name. Null when nothing of it can be seen.
const actLine = (em, token, text, walk, small) => {
  const { el, tag, bits, act, id, ctx } = token;
  if (HOLDS_VALUE.test(act.role)) return valueLine(em, token, text, walk);
  const alone = !WORDY.test(text);
  let shown = text ? ` "${guard(text)}"` : '';
  let seenName = text;
  if (alone && small && text === '' && !token.picture && !walk.seen(el, ctx, 2)) {
    walk.flags.hidden_controls++;
    return null;
  }
  if (alone) {
    const spoken = small ? unseenName(el, token, walk) : foldTrim(attr(el, 'aria-label') || '');
    if (spoken && spoken !== text) {
      shown = `${shown} ~"${guard(shorten(spoken, 120))}"`;
      seenName = spoken;
    }
  }
  if (em.roles) em.roles.set(id, [act.role, seenName]);
  if (bits & NOTED) noteAttributes(em, el, tag, act.role, id, seenName);
  return `\u0002${id} ${act.role}${act.states}${act.target}${shown}`;
};

// The first words of an item that holds more than words stand on its own line.
const firstWords = (em, token) => {
  if (em.kinds[token.at] !== TEXT || em.texts[token.at].length > 200) return '';
  const text = em.texts[token.at];
  em.texts.splice(token.at, 1);
  em.kinds.splice(token.at, 1);
  em.depths.splice(token.at, 1);
  return text;
};

// Fields made of other elements: their content is a value, their name is a label.
const HOLDS_VALUE = /^(?:textbox|searchbox|combobox|spinbutton|slider)$/;
const valueLine = (em, token, text, walk) => {
  const { el, tag, bits, act, id } = token;
  const { text: label, unseen } = fieldName(em, el, tag, act.role, walk);
  const now = foldTrim(attr(el, 'aria-valuetext') || attr(el, 'aria-valuenow') || '');
  const hint = foldTrim(attr(el, 'aria-placeholder') || attr(el, 'data-placeholder') || '');
  if (em.roles) em.roles.set(id, [act.role, label || unseen || text]);
  if (bits & NOTED) noteAttributes(em, el, tag, act.role, id, label || unseen);
  let line = `\u0002${id} ${act.role}${act.states}`;
  if (label) line += ` "${guard(escapeQuotes(label))}"`;
  else if (unseen) line += ` ~"${guard(escapeQuotes(unseen))}"`;
  if (hint && !text) line += ` placeholder "${guard(escapeQuotes(shorten(hint, 80)))}"`;
  const value = isSecret(el, tag) && text ? MASK : shorten(text || now, 300);
  return value ? `${line} = ${guard(value)}` : line;
};

// A name for what shows no words: by reference, by attribute, by its picture, for screen readers.
// Text that is hidden in any other way names nothing here.
const unseenName = (el, token, walk) => {
  const by = idsOf(el, 'aria-labelledby').map((one) => walk.visibleText(one, null, true)).join(' ');
  return by.trim() || foldTrim(attr(el, 'aria-label') || '') || foldTrim(token.pictured) ||
    foldTrim(token.spoken) || foldTrim(attr(el, 'title') || '');
};

// What an element carries beyond what is seen; bounded, and only for refs.
const noteAttributes = (em, el, tag, role, id, shown) => {
  const extra = {};
  if (hasAttr(el, 'aria-label') || hasAttr(el, 'aria-labelledby')) {
    const { name } = accName(el, tag, role);
    if (name && name !== shown && !shown.includes(name)) extra.name = shorten(name, 300);
  }
  for (const [key, attribute] of [['title', 'title'], ['description', 'aria-description']]) {
    const value = hasAttr(el, attribute) ? foldTrim(attr(el, attribute)) : '';
    if (value && value !== shown) extra[key] = shorten(value, 300);
  }
  const size = Object.values(extra).reduce((sum, value) => sum + value.length + 16, 0);
  if (!size || em.attributeSize + size > Math.max(2_000, em.limit / 8)) return;
  em.attributeSize += size;
  em.attributes[id] = extra;
};
