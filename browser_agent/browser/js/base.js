// Getters captured from the prototypes, and text folding.
// A form or document that names a field `firstChild` or `attributes` shadows the property on
// itself (in this world too), so nothing here reads a property of a node by its plain name.
const grab = (proto, name) => Object.getOwnPropertyDescriptor(proto, name).get;
const NODE = Node.prototype;
const ELEMENT = Element.prototype;
const DOC = Document.prototype;

const get = {
  nodeType: grab(NODE, 'nodeType'),
  firstChild: grab(NODE, 'firstChild'),
  nextSibling: grab(NODE, 'nextSibling'),
  firstElement: grab(ELEMENT, 'firstElementChild'),
  textContent: grab(NODE, 'textContent'),
  parentNode: grab(NODE, 'parentNode'),
  isConnected: grab(NODE, 'isConnected'),
  data: grab(CharacterData.prototype, 'data'),
  length: grab(CharacterData.prototype, 'length'),
  localName: grab(ELEMENT, 'localName'),
  shadowRoot: grab(ELEMENT, 'shadowRoot'),
  assignedSlot: grab(ELEMENT, 'assignedSlot'),
  textSlot: grab(Text.prototype, 'assignedSlot'),
  scrollLeft: grab(ELEMENT, 'scrollLeft'),
  scrollTop: grab(ELEMENT, 'scrollTop'),
  scrollWidth: grab(ELEMENT, 'scrollWidth'),
  scrollHeight: grab(ELEMENT, 'scrollHeight'),
  clientWidth: grab(ELEMENT, 'clientWidth'),
  clientHeight: grab(ELEMENT, 'clientHeight'),
  style: grab(HTMLElement.prototype, 'style'),
  svgStyle: grab(SVGElement.prototype, 'style'),
  documentElement: grab(DOC, 'documentElement'),
  body: grab(DOC, 'body'),
  title: grab(DOC, 'title'),
  host: grab(ShadowRoot.prototype, 'host'),
  href: grab(HTMLAnchorElement.prototype, 'href'),
};
const fn = {
  attr: ELEMENT.getAttribute,
  hasAttr: ELEMENT.hasAttribute,
  hasAttrs: ELEMENT.hasAttributes,
  attrNames: ELEMENT.getAttributeNames,
  rect: ELEMENT.getBoundingClientRect,
  all: ELEMENT.querySelectorAll,
  check: ELEMENT.checkVisibility,
  matches: ELEMENT.matches,
  contains: NODE.contains,
  root: NODE.getRootNode,
  assigned: HTMLSlotElement.prototype.assignedNodes,
};

const ownDocument = document;
const attr = (el, name) => fn.attr.call(el, name);
const hasAttr = (el, name) => fn.hasAttr.call(el, name);
const tagOf = (el) => get.localName.call(el);
const parentOf = (node) => get.parentNode.call(node);
const rectOf = (el) => fn.rect.call(el);
const docRoot = () => get.documentElement.call(ownDocument);
const isElement = (node) => get.nodeType.call(node) === 1;
const isHtml = (el) => el instanceof HTMLElement;

// Queries that no named field can shadow: a root is the document or a shadow root.
const queryAll = (root, selector) =>
  (root === ownDocument ? DOC : DocumentFragment.prototype).querySelectorAll.call(root, selector);
const byTag = (name) => DOC.getElementsByTagName.call(ownDocument, name);
const byId = (root, id) =>
  (root === ownDocument ? DOC : DocumentFragment.prototype).getElementById.call(root, id);
const rootOf = (node) => {
  const root = fn.root.call(node);
  return root === ownDocument || root instanceof ShadowRoot ? root : null;
};

// The parent in the flat tree: slot, host or parent element; null at the top or when not rendered.
const flatParent = (node) => {
  const slot = isElement(node)
    ? get.assignedSlot.call(node)
    : get.nodeType.call(node) === 3
      ? get.textSlot.call(node)
      : null;
  if (slot) return slot;
  const parent = parentOf(node);
  if (!parent) return null;
  if (parent instanceof ShadowRoot) return get.host.call(parent);
  return isElement(parent) ? parent : null;
};

// White space as CSS folds it, no-break spaces too; our own control marks never come from a page.
const FOLD_TEST = /[\t\n\r\f\u00a0\u0001-\u0003]| {2}/;
const FOLD = /[ \t\n\r\f\u00a0]+/g;
const MARKS = /[\u0001-\u0003]/g;
const fold = (text) =>
  FOLD_TEST.test(text) ? text.replace(FOLD, ' ').replace(MARKS, '\ufffd') : text;
const foldTrim = (text) => fold(text).trim();
const WORDY = /[\p{L}\p{N}]/u;

// Cut text at a number of UTF-16 units without splitting a surrogate pair or a grapheme.
const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const cutText = (text, limit) => {
  if (text.length <= limit) return text;
  const from = Math.max(0, limit - 64);
  let end = from;
  for (const part of segmenter.segment(text.slice(from, limit + 64))) {
    const next = from + part.index + part.segment.length;
    if (next > limit) break;
    end = next;
  }
  return text.slice(0, end || limit);
};
const shorten = (text, limit) => (text.length <= limit ? text : cutText(text, limit - 1) + '…');
