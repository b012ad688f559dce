// Accessible names as accname-1.2 and Chromium compute them, before any policy of ours.
// The snapshot shows what is seen and falls back on these; the tests hold them against Chromium.
const labelsOf = (el, tag) => {
  const proto = { input: HTMLInputElement, select: HTMLSelectElement, textarea: HTMLTextAreaElement,
    button: HTMLButtonElement, meter: HTMLMeterElement, progress: HTMLProgressElement,
    output: HTMLOutputElement }[tag];
  if (!proto || !(el instanceof proto)) return [];
  const labels = grab(proto.prototype, 'labels').call(el);
  return labels ? [...labels] : [];
};

const idsOf = (el, name) => {
  const root = rootOf(el);
  const given = attr(el, name);
  if (!root || !given) return [];
  return given.trim().split(/\s+/).map((id) => byId(root, id)).filter(Boolean);
};

const tidy = (text) => text.replace(/[ \t\n\r\f\u00a0]+/g, ' ').trim();

// {name, from}: from says where it came from (labelledby, aria-label, label, content, alt ...).
const accName = (el, tag, role) => {
  const seen = new Set([el]);
  const by = idsOf(el, 'aria-labelledby');
  if (by.length) {
    const text = tidy(by.map((one) => refText(one, new Set())).join(' '));
    if (text) return { name: text, from: 'labelledby' };
  }
  const label = tidy(attr(el, 'aria-label') || '');
  if (label) return { name: label, from: 'aria-label' };
  const native = nativeName(el, tag, seen);
  if (native) return native;
  if (CONTENT_NAMED.has(role)) {
    const text = tidy(contentText(el, seen, false));
    if (text) return { name: text, from: 'content' };
  }
  const title = tidy(attr(el, 'title') || '');
  if (title) return { name: title, from: 'title' };
  const hint = tidy(attr(el, 'placeholder') || attr(el, 'aria-placeholder') || '');
  if (hint && (tag === 'input' || tag === 'textarea' || role === 'textbox')) {
    return { name: hint, from: 'placeholder' };
  }
  return { name: '', from: '' };
};

const nativeName = (el, tag, seen) => {
  if (tag === 'input' && /^(?:submit|reset|button|image)$/.test(inputType(el))) return buttonName(el, seen);
  const labels = labelsOf(el, tag).filter(isRendered);
  if (labels.length) {
    const text = tidy(labels.map((one) => contentText(one, new Set(seen), false, el)).join(' '));
    if (text) return { name: text, from: 'label' };
  }
  if (tag === 'img' || tag === 'area') return from(attr(el, 'alt'), 'alt');
  if (tag === 'svg' || el instanceof SVGElement) {
    const title = svgTitle(el);
    return title ? from(rawText(title), 'title-element') : null;
  }
  const part = { fieldset: 'legend', table: 'caption', figure: 'figcaption' }[tag];
  if (!part) return tag === 'optgroup' || tag === 'option' ? from(attr(el, 'label'), 'attribute') : null;
  for (let c = get.firstChild.call(el); c; c = get.nextSibling.call(c)) {
    if (isElement(c) && tagOf(c) === part) return from(contentText(c, seen, false), part);
  }
  return null;
};

const from = (text, source) => {
  const name = tidy(text || '');
  return name ? { name, from: source } : null;
};

const buttonName = (el, seen) => {
  const type = inputType(el);
  const labels = labelsOf(el, 'input').filter(isRendered);
  if (labels.length) {
    const text = tidy(labels.map((one) => contentText(one, new Set(seen), false, el)).join(' '));
    if (text) return { name: text, from: 'label' };
  }
  if (type === 'image') {
    return from(attr(el, 'alt'), 'alt') || from(attr(el, 'value'), 'value') ||
      from(attr(el, 'title'), 'title') || { name: 'Submit', from: 'default' };
  }
  const given = attr(el, 'value');
  if (given !== null) return from(given, 'value');
  if (type === 'submit') return { name: 'Submit', from: 'default' };
  return type === 'reset' ? { name: 'Reset', from: 'default' } : null;
};

const rawText = (el) => {
  let text = '';
  for (let c = get.firstChild.call(el); c; c = get.nextSibling.call(c)) {
    if (get.nodeType.call(c) === 3) text += get.data.call(c);
  }
  return text;
};

// Text of a referenced element: even a hidden one counts, with its hidden content.
const refText = (el, seen) => {
  if (seen.has(el)) return '';
  const tag = tagOf(el);
  const label = tidy(attr(el, 'aria-label') || '');
  if (label) return label;
  seen.add(el);
  if (tag === 'img' || tag === 'area') return attr(el, 'alt') || attr(el, 'title') || '';
  const native = nativeName(el, tag, seen);
  if (native) return native.name;
  if (isField(tag)) return fieldText(el, tag);
  return contentText(el, seen, !isRendered(el)) || attr(el, 'title') || '';
};

const isRendered = (el) => fn.check.call(el, { visibilityProperty: true }) || displays(el);
const displays = (el) => {
  const style = getComputedStyle(el);
  return style.display === 'contents' && style.visibility === 'visible' && shownAbove(el);
};
const shownAbove = (el) => {
  const parent = flatParent(el);
  return !parent || isRendered(parent);
};

const fieldText = (el, tag) => {
  if (tag === 'select') {
    const chosen = [...grab(HTMLSelectElement.prototype, 'selectedOptions').call(el)];
    return chosen.map((o) => o.label).join(' ');
  }
  if (tag === 'textarea') return grab(HTMLTextAreaElement.prototype, 'value').call(el);
  const type = inputType(el);
  if (type === 'password' || type === 'checkbox' || type === 'radio' || type === 'file') return '';
  return grabInput.value.call(el);
};

const kidsOf = (el) => {
  const shadow = get.shadowRoot.call(el);
  if (shadow) return childList(shadow);
  if (tagOf(el) === 'slot' && el instanceof HTMLSlotElement) {
    const given = fn.assigned.call(el);
    if (given.length) return given;
  }
  return childList(el);
};
const childList = (node) => {
  const list = [];
  for (let c = get.firstChild.call(node); c; c = get.nextSibling.call(c)) list.push(c);
  return list;
};

const contentText = (el, seen, hidden, skip) => {
  if (seen.size > 5_000) return '';
  let text = generated(el, '::before');
  for (const child of kidsOf(el)) {
    const type = get.nodeType.call(child);
    if (type === 3) text += get.data.call(child);
    else if (type === 1 && child !== skip && !seen.has(child)) text += partText(child, seen, hidden, skip);
  }
  return text + generated(el, '::after');
};

const generated = (el, which) => {
  const content = getComputedStyle(el, which).content;
  if (!content || content === 'none' || content === 'normal') return '';
  const spoken = content.split(' / ').pop();
  const parts = spoken.match(/"(?:[^"\\]|\\.)*"/g);
  const text = parts ? parts.map((part) => part.slice(1, -1).replace(/\\(.)/g, '$1')).join('') : '';
  return /^(?:block|flex|grid|table|list-item)/.test(getComputedStyle(el, which).display) ? ` ${text} ` : text;
};

const BLOCKISH = /^(?:block|flex|grid|table|list-item|flow-root|inline-block|inline-flex|inline-grid|-webkit)/;
const partText = (el, seen, hidden, skip) => {
  const tag = tagOf(el);
  if (/^(?:script|style|template|noscript|head|meta|link)$/.test(tag)) return '';
  if (tag === 'br') return ' ';
  if (attr(el, 'role') === 'group' && attr(parentOf(el), 'role') === 'treeitem') return '';
  if (!hidden && (attr(el, 'aria-hidden') === 'true' || !isRendered(el))) {
    return !hidden && invisibleOnly(el) ? contentParts(el, seen, skip) : '';
  }
  seen.add(el);
  const text = ownText(el, tag, seen, hidden, skip);
  return hidden || !BLOCKISH.test(getComputedStyle(el).display) ? text : ` ${text} `;
};

// A box that is only `visibility: hidden` may hold visible children.
const invisibleOnly = (el) => attr(el, 'aria-hidden') !== 'true' && fn.check.call(el);
const contentParts = (el, seen, skip) => {
  let text = '';
  for (const child of kidsOf(el)) if (isElement(child)) text += partText(child, seen, false, skip);
  return text;
};

const ownText = (el, tag, seen, hidden, skip) => {
  const by = idsOf(el, 'aria-labelledby');
  if (by.length && !hidden) {
    const text = tidy(by.map((one) => (seen.has(one) ? '' : refText(one, new Set(seen)))).join(' '));
    if (text) return text;
  }
  const label = tidy(attr(el, 'aria-label') || '');
  if (label) return label;
  if (isField(tag)) {
    const button = tag === 'input' && /^(?:submit|reset|button|image)$/.test(inputType(el));
    return button ? (buttonName(el, seen) || { name: '' }).name : fieldText(el, tag);
  }
  if (tag === 'img' || tag === 'area') return attr(el, 'alt') ?? attr(el, 'title') ?? '';
  if (tag === 'svg') {
    const title = svgTitle(el);
    if (title) return rawText(title);
  }
  const text = contentText(el, seen, hidden, skip);
  return text.trim() ? text : attr(el, 'title') || text;
};
