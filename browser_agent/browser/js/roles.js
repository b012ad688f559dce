// Roles as HTML-AAM gives them, and the states that matter for acting.
const WIDGETS = new Set(
  ('button link checkbox radio switch tab menuitem menuitemcheckbox menuitemradio option treeitem ' +
    'combobox listbox textbox searchbox slider spinbutton scrollbar').split(' '),
);
const LANDMARKS = new Set(
  'banner complementary contentinfo form main navigation region search'.split(' '),
);
const KNOWN_ROLES = new Set([
  ...WIDGETS, ...LANDMARKS,
  ...(
    'alert alertdialog application article blockquote caption cell code columnheader definition deletion ' +
    'dialog directory document emphasis feed figure generic grid gridcell group heading image img insertion ' +
    'list listitem log marquee math menu menubar meter none note paragraph presentation progressbar ' +
    'radiogroup row rowgroup rowheader separator status strong subscript superscript table tablist ' +
    'tabpanel term time timer toolbar tooltip tree treegrid'
  ).split(' '),
]);
// Roles whose name is their content.
const CONTENT_NAMED = new Set(
  ('button link checkbox radio switch tab menuitem menuitemcheckbox menuitemradio option treeitem ' +
    'heading cell gridcell columnheader rowheader row tooltip').split(' '),
);
const TAG_ROLES = {
  article: 'article', aside: 'complementary', blockquote: 'blockquote', button: 'button',
  caption: 'caption', code: 'code', dd: 'definition', details: 'group', dfn: 'term',
  dialog: 'dialog', dt: 'term', fieldset: 'group', figure: 'figure', h1: 'heading', h2: 'heading',
  h3: 'heading', h4: 'heading', h5: 'heading', h6: 'heading', hr: 'separator', li: 'listitem',
  main: 'main', math: 'math', menu: 'list', meter: 'meter', nav: 'navigation', ol: 'list',
  optgroup: 'group', option: 'option', output: 'status', p: 'paragraph', progress: 'progressbar',
  search: 'search', summary: 'button', table: 'table', tbody: 'rowgroup', textarea: 'textbox',
  tfoot: 'rowgroup', thead: 'rowgroup', time: 'time', tr: 'row', ul: 'list',
};
const INPUT_ROLES = {
  button: 'button', checkbox: 'checkbox', color: 'button', file: 'button', image: 'button',
  number: 'spinbutton', radio: 'radio', range: 'slider', reset: 'button', submit: 'button',
};
const DATE_HINTS = {
  date: 'yyyy-mm-dd', 'datetime-local': 'yyyy-mm-ddThh:mm', month: 'yyyy-mm', time: 'hh:mm',
  week: 'yyyy-Www',
};
const GLOBAL_STATES = [
  'aria-describedby', 'aria-label', 'aria-labelledby', 'aria-live', 'aria-controls', 'aria-current',
  'aria-details', 'aria-owns', 'aria-roledescription', 'aria-description',
];

const inputType = (el) => {
  const type = (attr(el, 'type') || 'text').toLowerCase();
  return grabInput.type.call(el) === type ? type : grabInput.type.call(el);
};
const grabInput = {
  type: grab(HTMLInputElement.prototype, 'type'),
  value: grab(HTMLInputElement.prototype, 'value'),
  checked: grab(HTMLInputElement.prototype, 'checked'),
  indeterminate: grab(HTMLInputElement.prototype, 'indeterminate'),
  labels: grab(HTMLInputElement.prototype, 'labels'),
  files: grab(HTMLInputElement.prototype, 'files'),
};

const explicitRole = (el, tag) => {
  const given = attr(el, 'role');
  if (!given) return '';
  for (const token of given.trim().toLowerCase().split(/\s+/)) {
    if (!KNOWN_ROLES.has(token)) continue;
    if (token === 'none' || token === 'presentation') {
      if (isFocusable(el, tag) || GLOBAL_STATES.some((name) => hasAttr(el, name))) continue;
      return 'none';
    }
    return token === 'image' ? 'img' : token === 'directory' ? 'list' : token;
  }
  return '';
};

const isFocusable = (el, tag) => {
  if (hasAttr(el, 'tabindex') || isEditingHost(el)) return true;
  if (tag === 'a' || tag === 'area') return hasAttr(el, 'href');
  if (tag === 'input') return inputType(el) !== 'hidden' && !fn.matches.call(el, ':disabled');
  return /^(?:button|select|textarea|summary|iframe)$/.test(tag) && !fn.matches.call(el, ':disabled');
};

const isEditingHost = (el) => {
  const value = attr(el, 'contenteditable');
  return value !== null && /^(?:true|plaintext-only|)$/i.test(value);
};

const implicitRole = (el, tag) => {
  if (tag === 'a' || tag === 'area') return hasAttr(el, 'href') || listening.has(el) ? 'link' : 'generic';
  if (tag === 'input') return inputRole(el);
  if (tag === 'select') {
    return hasAttr(el, 'multiple') || +(attr(el, 'size') || 0) > 1 ? 'listbox' : 'combobox';
  }
  if (tag === 'img') return attr(el, 'alt') === '' && !named(el) ? 'none' : 'img';
  if (tag === 'svg') return named(el) || svgTitle(el) ? 'img' : 'generic';
  if (tag === 'header') return inSection(el) ? 'generic' : 'banner';
  if (tag === 'footer') return inSection(el) ? 'generic' : 'contentinfo';
  if (tag === 'section') return named(el) ? 'region' : 'generic';
  if (tag === 'form') return named(el) ? 'form' : 'generic';
  if (tag === 'td') return 'cell';
  if (tag === 'summary') return isFirstSummary(el) ? 'button' : 'generic';
  if (tag === 'th') return attr(el, 'scope') === 'row' ? 'rowheader' : 'columnheader';
  return TAG_ROLES[tag] || 'generic';
};

const inputRole = (el) => {
  const type = inputType(el);
  if (INPUT_ROLES[type]) return INPUT_ROLES[type];
  if (type === 'hidden') return 'none';
  if (hasAttr(el, 'list') && /^(?:text|search|tel|url|email)$/.test(type)) return 'combobox';
  return type === 'search' ? 'searchbox' : 'textbox';
};

const named = (el) =>
  hasAttr(el, 'aria-label') || hasAttr(el, 'aria-labelledby') || hasAttr(el, 'title');
const svgTitle = (el) => {
  for (let c = get.firstChild.call(el); c; c = get.nextSibling.call(c)) {
    if (isElement(c) && tagOf(c) === 'title') return c;
  }
  return null;
};

const SECTIONS = /^(?:article|aside|main|nav|section)$/;
const SECTION_ROLES = /^(?:article|complementary|main|navigation|region)$/;
const inSection = (el) => {
  for (let at = flatParent(el); at; at = flatParent(at)) {
    const role = attr(at, 'role');
    if (role ? SECTION_ROLES.test(role) : SECTIONS.test(tagOf(at))) return true;
  }
  return false;
};

const roleOf = (el, tag, bits = -1) => {
  const role = (bits & ROLED && explicitRole(el, tag)) || implicitRole(el, tag);
  if (role === 'generic' && bits & MARKED && isEditingHost(el)) return 'textbox';
  return role;
};

const isDisabled = (el, tag) => {
  if (/^(?:button|input|select|textarea|option|optgroup|fieldset)$/.test(tag)) {
    if (fn.matches.call(el, ':disabled')) return true;
  }
  return attr(el, 'aria-disabled') === 'true';
};

const levelOf = (el, tag) => {
  const given = parseInt(attr(el, 'aria-level') || '', 10);
  if (given > 0) return Math.min(given, 6);
  return /^h[1-6]$/.test(tag) ? +tag[1] : 2;
};

const checkedState = (el, tag) => {
  if (tag === 'input') {
    const type = inputType(el);
    if (type !== 'checkbox' && type !== 'radio') return '';
    if (grabInput.indeterminate.call(el) && type === 'checkbox') return 'mixed';
    return grabInput.checked.call(el) ? 'checked' : 'unchecked';
  }
  const value = attr(el, 'aria-checked');
  return value === 'true' ? 'checked' : value === 'mixed' ? 'mixed' : value ? 'unchecked' : '';
};

// The words of a line that say how an element stands.
const statesOf = (el, tag, role, bits = -1) => {
  let states = '';
  if (tag === 'a' && !(bits & MARKED)) return states;
  const checked = checkedState(el, tag);
  if (checked && checked !== 'unchecked') states += ` ${checked}`;
  if (isDisabled(el, tag)) states += ' disabled';
  if (tag === 'summary') states += openDetails(el) ? ' expanded' : ' collapsed';
  const required = isField(tag) ? fn.matches.call(el, ':required') : false;
  if (required || attr(el, 'aria-required') === 'true') states += ' required';
  if (isField(tag) && !hasAttr(el, 'aria-invalid') && fn.matches.call(el, ':user-invalid')) {
    states += ' invalid';
  }
  if (isField(tag) && hasAttr(el, 'readonly')) states += ' readonly';
  return bits & MARKED || isField(tag) ? states + ariaStates(el) : states;
};

const ariaStates = (el) => {
  let states = '';
  const expanded = attr(el, 'aria-expanded');
  if (expanded === 'true') states += ' expanded';
  else if (expanded === 'false') states += ' collapsed';
  const invalid = attr(el, 'aria-invalid');
  if (invalid && invalid !== 'false') states += ' invalid';
  if (attr(el, 'aria-selected') === 'true') states += ' selected';
  if (attr(el, 'aria-pressed') === 'true') states += ' pressed';
  const current = attr(el, 'aria-current');
  if (current && current !== 'false') states += ' current';
  return states;
};

const isField = (tag) => tag === 'input' || tag === 'select' || tag === 'textarea';
const openDetails = (summary) => {
  const parent = parentOf(summary);
  return !!parent && isElement(parent) && hasAttr(parent, 'open');
};
