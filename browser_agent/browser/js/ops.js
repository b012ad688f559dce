// Requests about single elements and about the document as a whole.
let mutations = 0;
let touched = 0;
let grown = 0; // times that elements came into the document
let lastMutation = performance.now();
let observing = null;
const watchedRoots = new WeakSet();

const noteMutations = (records) => {
  mutations += records.length;
  touched++;
  for (let i = 0; i < records.length; i++) {
    if (records[i].type === 'childList' && records[i].addedNodes.length) {
      grown++;
      break;
    }
  }
  lastMutation = performance.now();
};

const startObserving = () => {
  if (!observing) {
    observing = new MutationObserver(noteMutations);
    for (const kind of ['input', 'change']) window.addEventListener(kind, () => touched++, true);
  }
  observeRoot(ownDocument);
};
const observeRoot = (root) => {
  if (!observing || watchedRoots.has(root)) return;
  watchedRoots.add(root);
  observing.observe(root, { childList: true, subtree: true, characterData: true, attributes: true });
};
const flushMutations = () => {
  const records = observing ? observing.takeRecords() : [];
  if (records.length) noteMutations(records);
};

const watches = new Map();
const kindsHeard = new Set();
let lastWatch = 0;

const hear = (event) => {
  if (!event.isTrusted) return;
  const path = event.composedPath();
  for (const watch of watches.values()) {
    if (!watch.kinds.has(event.type)) continue;
    const hit = path.some((node) => watch.targets.has(node));
    (hit ? watch.events : watch.elsewhere).add(event.type);
  }
};

const targetsOf = (el) => {
  const targets = new Set([el]);
  const control = tagOf(el) === 'label' ? labelControl.call(el) : null;
  if (control) targets.add(control);
  for (const label of labelsOf(el, tagOf(el))) targets.add(label);
  return targets;
};
// The field behind a ref: a label stands for its control.
const controlOf = (el) => (tagOf(el) === 'label' && labelControl.call(el)) || el;

const readBack = (el, expect) => {
  const field = controlOf(el);
  const tag = tagOf(field);
  let value = valueOf(field, tag);
  if (value === null && field.isContentEditable === true) value = get.textContent.call(field).slice(0, 10_000);
  const checked = checkedState(field, tag) || (attr(field, 'aria-pressed') ?? '');
  const raw = tag === 'input' ? grabInput.value.call(field) : value;
  return {
    value: value === null ? null : cutText(value, 10_000),
    checked: checked || null,
    matches: expect ? fingerprint(raw || '') === expect : null,
  };
};

// FNV-1a over UTF-16 units with the length: compares a value without naming it in a request.
const fingerprint = (text) => {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    hash = Math.imul(hash ^ (unit & 255), 0x01000193);
    hash = Math.imul(hash ^ (unit >> 8), 0x01000193);
  }
  return `${text.length}-${hash >>> 0}`;
};

const deepest = (x, y) => {
  let root = ownDocument;
  let el = DOC.elementFromPoint.call(ownDocument, x, y);
  for (let i = 0; el && i < 50; i++) {
    const shadow = get.shadowRoot.call(el);
    if (!shadow || shadow === root) break;
    root = shadow;
    const inner = ShadowRoot.prototype.elementFromPoint.call(shadow, x, y);
    if (!inner || inner === el) break;
    el = inner;
  }
  return el;
};

// What would take a click at the middle of a box, when that is not the element itself.
const coveredBy = (el, rect, walk) => {
  const [x, y] = [(rect.left + rect.right) / 2, (rect.top + rect.bottom) / 2];
  if (x < 0 || y < 0 || x >= window.innerWidth || y >= window.innerHeight) return '';
  const hit = deepest(x, y);
  if (!hit || isAncestor(el, hit)) return '';
  for (const target of targetsOf(el)) if (isAncestor(target, hit)) return '';
  if (isAncestor(hit, el) && !fn.matches.call(hit, 'dialog')) return '';
  const tag = tagOf(hit);
  const role = roleOf(hit, tag);
  const name = shorten(walk.visibleText(hit, null) || accName(hit, tag, role).name, 80);
  return `${role === 'generic' ? tag : role}${name ? ` "${guard(name)}"` : ''}`;
};

const EDITABLE = /^(?:text|search|tel|url|email|password|number|date|datetime-local|month|time|week|color|range)$/;
const isEditable = (el, tag) =>
  (tag === 'textarea' || (tag === 'input' && EDITABLE.test(inputType(el))) || el.isContentEditable === true) &&
  !isDisabled(el, tag) && !hasAttr(el, 'readonly');

// The editable field nearest to an element that is none.
const nearestField = (el, walk) => {
  const control = controlOf(el);
  if (control !== el) return fieldNote(control, walk);
  for (let at = el, i = 0; at && i < 4; at = flatParent(at), i++) {
    const list = fn.all.call(at, 'input,textarea,select,[contenteditable]');
    for (let k = 0; k < list.length && k < 20; k++) {
      if (isEditable(list[k], tagOf(list[k]))) return fieldNote(list[k], walk);
    }
  }
  return null;
};
const fieldNote = (el, walk) => {
  const tag = tagOf(el);
  const role = roleOf(el, tag);
  return { ref: refFor(el), role, name: shorten(shownName(el, tag, role, walk), 80) };
};

const shownName = (el, tag, role, walk) => {
  if (isField(tag)) {
    const em = { labels: null };
    const { text, unseen } = fieldName(em, el, tag, role, walk);
    return text || unseen || accName(el, tag, role).name;
  }
  const text = walk.visibleText(el, null);
  return WORDY.test(text) ? text : accName(el, tag, role).name || text;
};

const optionsOf = (el) => {
  const list = grab(HTMLSelectElement.prototype, 'options').call(el);
  return [...list].slice(0, 500).map((o) => [o.value.slice(0, 500), foldTrim(o.label).slice(0, 500), o.selected]);
};

const newWalk = (call) => {
  const walk = new Walk(new Lines('full', 1_000), { nodes: call.nodes, ms: call.ms });
  walk.profile.scan(ownDocument);
  return walk;
};

const describeElement = (el, call) => {
  const walk = newWalk(call);
  const tag = tagOf(el);
  const control = controlOf(el);
  const role = control === el ? roleOf(el, tag) : roleOf(control, tagOf(control));
  const rect = rectOf(el);
  const ctx = walk.ctxOf(el);
  const editable = isEditable(el, tag);
  const pick = (name) => foldTrim(attr(control, name) || '').slice(0, 500);
  return {
    role: role === 'generic' || role === 'none' ? 'clickable' : role,
    name: shorten(shownName(el, tag, role, walk), 500),
    tag: tagOf(control), kind: tagOf(control) === 'input' ? inputType(control) : '',
    ...readBack(el, call.expect), editable, readonly: hasAttr(control, 'readonly'),
    disabled: isDisabled(control, tagOf(control)), visible: walk.seen(el, ctx, 1),
    in_viewport: inView(rect), multiple: hasAttr(control, 'multiple'), accept: pick('accept'),
    href: el instanceof HTMLAnchorElement ? get.href.call(el).slice(0, 4_000) : '',
    pattern: pick('pattern'), min: pick('min'), max: pick('max'), step: pick('step'),
    wants: DATE_HINTS[tagOf(control) === 'input' ? inputType(control) : ''] || '',
    options: tag === 'select' ? optionsOf(el) : [],
    covered_by: coveredBy(el, rect, walk),
    box: [rect.left, rect.top, rect.width, rect.height],
    hint: editable ? null : nearestField(el, walk),
  };
};

Object.assign(OPS, {
  describe(call) {
    const { el, state } = elementFor(call.ref);
    return JSON.stringify({ doc: documentId, state, ...(el ? describeElement(el, call) : {}) });
  },
  state(call) {
    return JSON.stringify({ doc: documentId, state: elementFor(call.ref).state });
  },
  quiet() {
    startObserving();
    flushMutations();
    return JSON.stringify({
      doc: documentId, idle: performance.now() - lastMutation, mutations, ready: ownDocument.readyState,
      grown,
    });
  },
  watch(call) {
    startObserving();
    flushMutations();
    const { el, state } = elementFor(call.ref);
    if (!el) return JSON.stringify({ doc: documentId, state });
    for (const kind of call.kinds) {
      if (!kindsHeard.has(kind)) window.addEventListener(kind, hear, { capture: true, passive: true });
      kindsHeard.add(kind);
    }
    const watch = { kinds: new Set(call.kinds), targets: targetsOf(el), events: new Set(), elsewhere: new Set() };
    watches.set(++lastWatch, { ...watch, ref: call.ref, mutations });
    if (watches.size > 50) watches.delete(watches.keys().next().value);
    return JSON.stringify({ doc: documentId, state, watch: lastWatch });
  },
  seen(call) {
    flushMutations();
    const watch = watches.get(call.watch);
    if (!watch) return JSON.stringify({ doc: documentId, missing: true });
    const { el, state } = elementFor(watch.ref);
    return JSON.stringify({
      doc: documentId, state, events: [...watch.events], elsewhere: [...watch.elsewhere],
      mutations: mutations - watch.mutations, ...(el ? readBack(el, call.expect) : {}),
    });
  },
  find(call) {
    const em = new Lines('full', 50_000_000);
    em.roles = new Map();
    const walk = observe(call, em);
    const found = matchesIn(em, call);
    return JSON.stringify({
      ...pageHead(call), closed: walk.closed, elements: walk.elements, cut: walk.cut,
      unseen: walk.cut ? 1 : 0, frames: frameSlots(em.frames), ...found,
    });
  },
  base(call) {
    startObserving();
    flushMutations();
    if (latest && latest.touched === touched && baselines.has(latest.id)) {
      keep(call.keep, baselines.get(latest.id));
    } else {
      const em = new Lines('full', call.limit);
      observe(call, em);
      keep(call.keep, em.finish());
    }
    latest = { id: call.keep, touched };
    return JSON.stringify({ doc: documentId, slot: ownSlot() });
  },
  changes(call) {
    const old = baselines.get(call.since);
    const em = new Lines('full', call.limit);
    observe(call, em);
    const now = em.finish();
    keep(call.keep, now);
    latest = { id: call.keep, touched };
    const head = { doc: documentId, slot: ownSlot(), frames: frameSlots(em.frames) };
    if (!old) return JSON.stringify({ ...head, missing: true });
    const { removed, added } = diffLines(old, now);
    const out = listed(now, added, call.bytes);
    const gone = listed(old, removed, call.bytes);
    return JSON.stringify({ ...head, added: out.out, removed: gone.out, cut: out.cut + gone.cut });
  },
  oracle() {
    return JSON.stringify({ doc: documentId, items: oracleItems() });
  },
});
let latest = null;

const SPOKEN = /\u0002(\d+)/g;
const foldCase = (text) => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();

// Lines whose name or text holds the wanted words; the same name first, then what can be acted on.
const matchesIn = (em, call) => {
  const wanted = foldCase(call.text);
  const found = [];
  const lines = em.finish();
  for (let i = 0; i < lines.length && found.length < 5_000; i++) {
    const refs = [...lines[i].matchAll(SPOKEN)];
    for (const [, id] of refs) consider(found, wanted, call.role, em.roles.get(+id), +id, lines[i].trim(), i);
    if (!refs.length) considerText(found, wanted, call.role, em, i, lines[i].trim());
  }
  found.sort((a, b) => a.rank - b.rank || a.at - b.at);
  const matches = found.slice(0, call.count).map(({ ref, role, name, line }) => [ref, role, name, line]);
  return { matches, ranks: found.slice(0, call.count).map((one) => one.rank), total: found.length };
};

const consider = (found, wanted, role, known, ref, line, at) => {
  if (!known || (role && !sameRole(role, known[0]))) return;
  const name = foldCase(known[1]);
  if (!name.includes(wanted)) return;
  const rank = name === wanted ? 0 : 1;
  found.push({ ref, role: known[0], name: shorten(known[1], 300), line: shorten(line, 400), rank, at });
};
const sameRole = (wanted, role) => wanted === role || (wanted === 'button' && role === 'clickable');

const LINE_ROLES = { [HEAD]: 'heading', [ROW]: 'row', [TEXT]: 'text' };
const considerText = (found, wanted, role, em, i, line) => {
  const own = LINE_ROLES[em.kinds[i]] || line.split(' ')[0];
  if (role && role !== own) return;
  if (!foldCase(line).includes(wanted)) return;
  found.push({ ref: 0, role: own, name: shorten(em.texts[i], 300), line: shorten(line, 400), rank: 2, at: i });
};

// Every interactive element with computed role and name, before any policy: for tests against
// the browser's own accessibility tree. `index` counts elements in tree order, shadow trees first.
const oracleItems = () => {
  const items = [];
  let index = 0;
  const visit = (node) => {
    for (let c = get.firstChild.call(node); c; c = get.nextSibling.call(c)) {
      if (!isElement(c)) continue;
      const at = index++;
      const tag = tagOf(c);
      const role = roleOf(c, tag, isEditingHost(c) ? ROLED : -1);
      if (WIDGETS.has(role)) items.push([at, tag, role, accName(c, tag, role).name]);
      const shadow = get.shadowRoot.call(c);
      if (shadow) visit(shadow);
      visit(c);
    }
  };
  visit(ownDocument);
  return items;
};
