// Which elements can be acted on, and the lines of fields, labels, pictures and frames.
const COMPOSITE = /^(?:option|menuitem|menuitemcheckbox|menuitemradio|tab|treeitem|radio|switch|checkbox)$/;

// {role, states, target, strong, weak, sure} of an element that can be acted on, else null.
const actionOf = (em, el, tag, role, bits, ctx, frame) => {
  if (ctx.inert) return null;
  let target = '';
  if (tag === 'a' && role === 'link') {
    const short = hasAttr(el, 'href') ? shortTarget(el) : '';
    if (short && !(em.only && !short.startsWith('//'))) target = ` ${short}`;
  }
  if (tag === 'summary' && !isFirstSummary(el)) return null;
  if (WIDGETS.has(role) && role !== 'scrollbar') return widget(el, tag, role, bits, target);
  if (bits & MARKED && isEditingHost(el)) return widget(el, tag, 'textbox', bits, '');
  return clickable(em, el, tag, role, bits, ctx, frame);
};

const widget = (el, tag, role, bits, target) => ({
  role, target, states: statesOf(el, tag, role, bits), strong: true, weak: false, sure: true,
});

// Elements that a handler, a tabindex or the cursor makes clickable.
const clickable = (em, el, tag, role, bits, ctx, frame) => {
  if (tag === 'html' || tag === 'body' || tag === 'label') return null;
  const heard = listening.has(el) && FOLDED.has(role);
  const handled = bits & MARKED && (hasAttr(el, 'onclick') || hasAttr(el, 'onmousedown') ||
    hasAttr(el, 'onpointerdown'));
  const tabbed = bits & MARKED && +(attr(el, 'tabindex') ?? -1) >= 0;
  const pointed = bits & CURSOR && ctx.pointer && !frame.ctx.pointer && em.items === em.loose;
  if (!handled && !heard && !tabbed && !pointed) return null;
  if (tabbed && !handled && !pointed && scrollBox(el)) return null;
  const shown = FOLDED.has(role) ? 'clickable' : role;
  const states = bits & MARKED ? ariaStates(el) : '';
  return { role: shown, states, target: '', strong: false, weak: true, sure: !!handled || !!tabbed, heard: heard && !handled && !tabbed && !pointed, loose: !handled && !ctx.pointer };
};

// A box made focusable only to be scrolled by keys.
const scrollBox = (el) => get.scrollHeight.call(el) > get.clientHeight.call(el) + 1 &&
  /auto|scroll/.test(getComputedStyle(el).overflowY);

const isFirstSummary = (el) => {
  const parent = parentOf(el);
  return !!parent && isElement(parent) && tagOf(parent) === 'details' &&
    childList(parent).find((c) => isElement(c) && tagOf(c) === 'summary') === el;
};

// Labels of a root by control; `input.labels` would search the document once for each field.
const labelsFor = (em, el, walk) => {
  if (!em.labels) em.labels = new Map();
  const root = rootOf(el);
  if (!root) return [];
  if (!em.labels.has(root)) {
    const byControl = new Map();
    const list = queryAll(root, 'label');
    for (let i = 0; i < list.length; i++) {
      const control = labelControl.call(list[i]);
      if (control) push(byControl, control, list[i]);
    }
    em.labels.set(root, byControl);
  }
  return em.labels.get(root).get(el) || [];
};
const labelControl = grab(HTMLLabelElement.prototype, 'control');

// {text, unseen}: the visible label of a field, and its accessible name where that says more.
const fieldName = (em, el, tag, role, walk) => {
  const by = idsOf(el, 'aria-labelledby');
  let text = by.map((one) => walk.visibleText(one, el)).join(' ').trim();
  if (!text) {
    text = labelsFor(em, el, walk).map((one) => walk.visibleText(one, el)).join(' ').trim();
  }
  if (text) return { text: shorten(text, 500), unseen: '' };
  const labels = by.length ? by : labelsFor(em, el, walk);
  const unseen = foldTrim(attr(el, 'aria-label') || '') ||
    labels.map((one) => walk.visibleText(one, el, true)).join(' ').trim() || foldTrim(attr(el, 'title') || '');
  return { text: '', unseen: shorten(unseen, 120) };
};

const openField = (em, el, tag, role, bits, ctx, walk) => {
  em.line();
  if (em.done.has(el)) return LEAF;
  const type = tag === 'input' ? inputType(el) : '';
  if (type === 'hidden') return LEAF;
  if (type === 'file' && !walk.seen(el, ctx, 3)) return LEAF; // listed at the end
  if (!walk.seen(el, ctx, 3, bits)) return LEAF;
  if (ctx.inert) return LEAF;
  em.done.add(el);
  const button = tag === 'input' && /^(?:submit|reset|button|image)$/.test(type);
  em.push(button ? buttonLine(em, el, role) : fieldLine(em, el, tag, type, role, ctx, walk), REF);
  em.refs++;
  return LEAF;
};

const buttonLine = (em, el, role) => {
  const id = refFor(el);
  const found = accName(el, 'input', role);
  const value = buttonName(el, new Set());
  const seen = value && value.from !== 'alt' && value.from !== 'title' && value.from !== 'label' ? value.name : '';
  const text = foldTrim(seen);
  if (em.roles) em.roles.set(id, [role, text || found.name]);
  noteAttributes(em, el, 'input', role, id, text);
  const name = text ? ` "${guard(text)}"` : found.name ? ` ~"${guard(shorten(foldTrim(found.name), 120))}"` : '';
  return `\u0002${id} ${role}${statesOf(el, 'input', role)}${name}`;
};

const fieldLine = (em, el, tag, type, role, ctx, walk) => {
  const id = refFor(el);
  const { text, unseen } = fieldName(em, el, tag, role, walk);
  const value = /^(?:checkbox|radio|file)$/.test(type) ? null : valueOf(el, tag);
  if (value === MASK) walk.flags.masked_values++;
  if (em.roles) em.roles.set(id, [role, text || unseen || attr(el, 'placeholder') || '']);
  noteAttributes(em, el, tag, role, id, text || unseen);
  let line = `\u0002${id} ${role}${kindWords(el, tag, type)}${statesOf(el, tag, role)}`;
  const tail = tag === 'select' ? optionsTail(el, ctx, em.only) : valueTail(value, ctx, walk);
  const hint = tag !== 'select' && !value ? foldTrim(attr(el, 'placeholder') || '') : '';
  if (text) line += ` "${guard(escapeQuotes(text))}"`;
  else if (unseen) line += ` ~"${guard(escapeQuotes(unseen))}"`;
  if (hint && hint !== text) line += ` placeholder "${guard(escapeQuotes(shorten(hint, 80)))}"`;
  return line + tail;
};

const kindWords = (el, tag, type) => {
  if (tag !== 'input') return tag === 'select' && hasAttr(el, 'multiple') ? ' multiple' : '';
  if (DATE_HINTS[type]) return ` ${type} ${DATE_HINTS[type]}`;
  if (type === 'password' || type === 'color' || type === 'tel') return ` ${type}`;
  if (type === 'file') {
    const files = grabInput.files.call(el);
    const chosen = files && files.length ? ` ${files.length} chosen` : '';
    return ` file${hasAttr(el, 'multiple') ? ' multiple' : ''}${chosen}`;
  }
  if (type !== 'number' && type !== 'range') return '';
  const [min, max] = [attr(el, 'min'), attr(el, 'max')].map((v) => (v && /^[-\d.e]+$/i.test(v) ? v.slice(0, 12) : ''));
  return min || max ? ` ${min}..${max}` : '';
};

const valueTail = (value, ctx, walk) => {
  if (value === null || value === '') return '';
  if (ctx.look.verdict && value !== MASK) return walk.hide('hidden_text');
  return ` = ${guard(shorten(foldTrim(value), 200))}`;
};

// Options of a select, the chosen ones marked; an option's words can forge neither marks nor bars.
const OPTIONS = 20;
const optionsTail = (el, ctx, brief) => {
  const list = grab(HTMLSelectElement.prototype, 'options').call(el);
  const shown = [];
  let more = 0;
  for (let i = 0; i < list.length; i++) {
    const option = list[i];
    if (hasAttr(option, 'hidden') || (hasAttr(option, 'style') && getComputedStyle(option).display === 'none')) continue;
    const chosen = option.selected;
    if (!chosen && (shown.length >= OPTIONS || brief)) {
      more++;
      continue;
    }
    const label = foldTrim(option.label).replaceAll('|', '\\|').replace(/^[*\\]/, '\\$&');
    shown.push((chosen ? '*' : '') + shorten(label, 80) + (option.disabled ? ' (disabled)' : ''));
  }
  if (!shown.length && !more) return '';
  return `: ${guard(shown.join('|'))}${more ? ` +${more}` : ''}`;
};

// A label names its field: its own words are dropped where the field's line shows them.
const openLabel = (em, el, walk) => {
  const control = labelControl.call(el);
  if (!control || em.done.has(control)) {
    return control && em.done.has(control) ? { close: 'nothing', mute: true } : null;
  }
  const tag = tagOf(control);
  const ctx = walk.ctxOf(control);
  if (walk.seen(control, ctx, 3, walk.profile.full(control, tag))) return { close: 'nothing', mute: isField(tag) && !isButtonInput(control, tag) };
  const role = roleOf(control, tag);
  const file = tag === 'input' && inputType(control) === 'file';
  if (!file && !/^(?:checkbox|radio|switch)$/.test(role)) return null;
  em.done.add(control);
  const states = (file ? kindWords(control, tag, 'file') : '') + statesOf(control, tag, role);
  return em.openItem(el, tag, -1, { role, states, target: '', strong: true, weak: false, sure: true }, ctx);
};
const isButtonInput = (el, tag) => tag === 'input' && /^(?:submit|reset|button|image)$/.test(inputType(el));
CLOSERS.nothing = () => undefined;

const openFrame = (em, el, ctx, walk) => {
  em.line();
  const visible = walk.seen(el, ctx, 3);
  const at = refFor(el);
  em.frames.push({ el, visible });
  const title = foldTrim(attr(el, 'title') || attr(el, 'aria-label') || '');
  const name = title ? ` ~"${guard(escapeQuotes(shorten(title, 80)))}"` : '';
  if (visible) em.push(`\u0001${at} frame${name}`, STRUCT);
  return LEAF;
};

// undefined: nothing special, look on; LEAF or null as in `open`.
const openPicture = (em, el, tag, role, bits, ctx, walk, frame) => {
  const act = actionOf(em, el, tag, role, bits, ctx, frame);
  if (em.item && walk.seen(el, ctx, 3)) {
    em.item.picture = true;
    if (tag === 'img' || role === 'img') em.item.pictured += ` ${accName(el, tag, 'img').name}`;
  }
  if (tag === 'svg' && svgHasParts(el, walk)) return act ? em.openItem(el, tag, bits, act, ctx) : null;
  if (act) {
    if (!walk.seen(el, ctx, 3)) return LEAF;
    const token = em.openItem(el, tag, bits, act, ctx);
    token.picture = true;
    em.close(token, walk);
    return LEAF;
  }
  if (em.items > 0 || em.only || em.mode === 'outline') return LEAF;
  const { name } = tag === 'img' || role === 'img' ? accName(el, tag, 'img') : { name: '' };
  const word = tag === 'canvas' || tag === 'video' ? tag : 'img';
  if ((!name && word === 'img') || !walk.seen(el, ctx, 3)) return LEAF;
  em.line();
  const broken = tag === 'img' && el.complete && el.naturalWidth === 0;
  const mark = broken && ctx.look.verdict === '' ? '' : '~';
  em.push(name ? `${word} ${mark}"${guard(escapeQuotes(shorten(name, 200)))}"` : word, STRUCT);
  return LEAF;
};

const svgHasParts = (el, walk) => {
  const list = fn.all.call(el, '*');
  for (let i = 0; i < list.length && i < 300; i++) {
    if (/^(?:text|a|foreignobject)$/i.test(tagOf(list[i]))) return true;
    if (attributeBits(list[i]) & MARKED || listening.has(list[i])) return true;
    if (walk.profile.of(list[i]) & CURSOR) return true;
  }
  return false;
};

const openMeter = (em, el, tag, role, ctx, walk) => {
  if (em.only || !walk.seen(el, ctx, 2)) return LEAF;
  em.line();
  const value = el.position >= 0 || tag === 'meter' ? ` = ${el.value} of ${el.max}` : '';
  const { text, unseen } = fieldName(em, el, tag, role, walk);
  const name = text ? ` "${guard(escapeQuotes(text))}"` : unseen ? ` ~"${guard(escapeQuotes(unseen))}"` : '';
  em.push(`${role}${name}${value}`, STRUCT);
  return LEAF;
};
