// Which elements of a root need a look at their computed style, found by its style sheets.
// Only declarations that can hide, move or restyle text matter. The rules that hold such
// declarations are matched natively with querySelectorAll, so an ordinary element costs one map
// lookup. A sheet that cannot be read makes every element a suspect: slower, never blind.
const DISPLAY = 1;
const PAINT = 2;
const PLACE = 4;
const CURSOR = 8;
const MARKED = 16; // carries an attribute that gives a role, a ref or a state
const PSEUDO = 32; // ::before or ::after with content or background
const ROLED = 64; // has a role attribute
const NOTED = 128; // carries words beyond what is seen: title, aria-label ...
const SIZED = 256; // a rule sets its size
const LAYERED = 512; // may be painted out of the order of the flow
const STYLE = DISPLAY | PAINT | PLACE | CURSOR;
const UNKNOWN = 1 | 2 | 4 | 8 | 32 | 256 | 512; // what cannot be read may set anything

const DISPLAY_RULE = /(?:^|[; ])(?:display|visibility|content-visibility|float|all)\s*:/;
const PAINT_RULE =
  /(?:^|[; ])(?:opacity|filter|mix-blend-mode|color|color-scheme|text-shadow|font|font-size|all|(?:-webkit-)?mask[a-z-]*|background[a-z-]*|-webkit-text[a-z-]*)\s*:/;
const PLACE_RULE =
  /(?:^|[; ])(?:left|right|top|bottom|inset|transform|translate|scale|rotate|offset|clip|clip-path|overflow|text-indent|letter-spacing|word-spacing|zoom|contain|vertical-align|all)[a-z-]*\s*:|(?:^|[; ])position\s*:\s*(?:absolute|fixed|sticky|var)|margin[a-z-]*\s*:[^;]*(?:-[\d.]|\()/;
const SIZE_RULE = /(?:^|[; ])(?:max-)?(?:width|height|inline-size|block-size|appearance|border-image)\s*:/;
const LAYER_RULE = /(?:^|[; ])(?:position|z-index|isolation|will-change|opacity|filter|transform|translate|scale|rotate|clip-path|mix-blend-mode|all)\s*:/;
const ANY_RULE = new RegExp(
  [DISPLAY_RULE, PAINT_RULE, PLACE_RULE, SIZE_RULE, LAYER_RULE, /cursor/].map((rule) => rule.source).join('|'),
);

const bitsOf = (css) => {
  if (!ANY_RULE.test(css)) return 0;
  let bits = 0;
  if (DISPLAY_RULE.test(css)) bits |= DISPLAY;
  if (PAINT_RULE.test(css)) bits |= PAINT;
  if (PLACE_RULE.test(css)) bits |= PLACE;
  if (SIZE_RULE.test(css)) bits |= SIZED;
  if (LAYER_RULE.test(css)) bits |= LAYERED;
  if (css.includes('cursor')) bits |= CURSOR;
  return bits;
};

// What attributes alone say of an element.
const ATTRIBUTE_BITS = new Map();
const noteNames = (bits, names) => {
  for (const name of names.split(' ')) ATTRIBUTE_BITS.set(name, (ATTRIBUTE_BITS.get(name) | 0) | bits);
};
noteNames(MARKED, 'role tabindex onclick onmousedown onpointerdown contenteditable aria-hidden inert');
noteNames(MARKED, 'aria-label aria-labelledby aria-expanded aria-pressed aria-selected aria-current');
noteNames(ROLED, 'role');
noteNames(NOTED, 'title aria-label aria-labelledby aria-description');
noteNames(DISPLAY, 'hidden popover align');
noteNames(PAINT, 'bgcolor text background color');
noteNames(SIZED, 'width height size');
const DISPLAY_TAGS = new Set(['dialog', 'object', 'slot']);
const TINT_TAGS = new Set(['font', 'mark']);

const attributeBits = (el) => {
  if (!fn.hasAttrs.call(el)) return 0;
  const names = fn.attrNames.call(el);
  let bits = 0;
  for (let i = 0; i < names.length; i++) bits |= ATTRIBUTE_BITS.get(names[i]) | 0;
  return bits;
};

const UNITS = 4_000_000; // selectors times elements that one scan may cost
const RULES = 20_000;

class Profile {
  constructor() {
    this.bits = new Map();
    this.all = 0; // bits that every element has
    this.paints = false; // some rule paints a background, so colours of the browser matter
    this.rules = 0;
    this.opaque = 0;
    this.seen = new Set();
  }

  add(el, bits) {
    this.bits.set(el, (this.bits.get(el) | 0) | bits);
  }

  // What styles say of an element.
  of(el) {
    return (this.bits.get(el) | 0) | this.all;
  }

  // What styles, attributes and the tag say of an element.
  full(el, tag) {
    const given = attributeBits(el);
    let bits = (this.bits.get(el) | 0) | this.all | given;
    if (DISPLAY_TAGS.has(tag)) bits |= DISPLAY;
    if (given & PAINT || TINT_TAGS.has(tag)) this.paints = true;
    return TINT_TAGS.has(tag) ? bits | PAINT : bits;
  }

  addAll(list, bits) {
    for (let i = 0; i < list.length; i++) this.add(list[i], bits);
  }

  // Scan a document or a shadow root once: its sheets, inline styles, attributes, animations.
  scan(root) {
    if (this.seen.has(root)) return;
    this.seen.add(root);
    const found = { selectors: new Map(), root };
    for (const sheet of sheetsOf(root)) this.scanSheet(sheet, found);
    this.match(found);
    this.scanInline(root);
    this.scanAnimations(root);
  }

  scanInline(root) {
    const styled = queryAll(root, '[style]');
    for (let i = 0; i < styled.length; i++) {
      const el = styled[i];
      const css = styleText(el);
      const bits = css === null ? UNKNOWN : bitsOf(css);
      if (bits) this.add(el, bits);
      if (bits & PAINT) this.paints = true;
    }
  }

  scanAnimations(root) {
    const running = animationsOf(root);
    if (running.length > 2_000) this.all |= UNKNOWN;
    else for (const one of running) if (one.effect && one.effect.target) this.add(one.effect.target, UNKNOWN);
  }

  scanSheet(sheet, found) {
    if (sheet.disabled) return;
    let rules = null;
    try {
      rules = sheet.cssRules;
    } catch {
      rules = null; // another origin's sheet: what it sets cannot be known
    }
    if (rules) return this.scanRules(rules, '', found);
    const media = sheet.media && sheet.media.mediaText;
    if (media && !matchMedia(media).matches) return;
    this.opaque++;
    this.paints = true;
    this.all |= UNKNOWN;
  }

  scanRules(rules, outer, found) {
    for (let i = 0; i < rules.length; i++) {
      const rule = rules[i];
      if (++this.rules > RULES) {
        this.all |= UNKNOWN;
        return;
      }
      if (rule instanceof CSSKeyframesRule) continue;
      if (rule instanceof CSSImportRule) {
        if (rule.styleSheet) this.scanSheet(rule.styleSheet, found);
        continue;
      }
      this.scanRule(rule, outer, found);
    }
  }

  scanRule(rule, outer, found) {
    let selector = outer;
    if (rule.selectorText !== undefined) {
      const own = rule.selectorText;
      selector = outer ? nested(own, outer) : own;
    } else if (typeof CSSScopeRule !== 'undefined' && rule instanceof CSSScopeRule) {
      selector = '*';
    }
    if (rule.style) {
      const css = rule.style.cssText;
      const bits = bitsOf(css);
      if (bits & PAINT && /background|color/.test(css)) this.paints = true;
      if (bits || selector.includes('::')) this.keep(selector || '*', bits, css, found);
    }
    if (rule.cssRules && rule.cssRules.length) this.scanRules(rule.cssRules, selector, found);
  }

  keep(selector, bits, css, found) {
    if (selector.includes('::')) return this.keepPseudo(selector, bits, css, found);
    if (selector.includes(':host')) {
      if (found.root instanceof ShadowRoot) {
        this.add(get.host.call(found.root), bits);
        this.addAll(queryAll(found.root, '*'), bits);
      }
      return;
    }
    push(found.selectors, bits, selector);
  }

  keepPseudo(selector, bits, css, found) {
    const drawn = /(?:^|[; ])(?:content|background[a-z-]*)\s*:/.test(css);
    if (selector.includes('::slotted') && bits && found.root instanceof ShadowRoot) {
      const host = get.host.call(found.root);
      this.addAll(fn.all.call(host, '*'), bits);
    } else if (selector.includes('::part') && bits) {
      this.all |= bits;
    }
    const plain = selector.replace(/::(?:before|after|first-line|first-letter)\b/g, '');
    if (plain === selector || plain.includes('::')) return;
    const kept = plain.split(',').map((part) => part.trim() || '*').join(',');
    if (/::(?:before|after)/.test(selector) && drawn) push(found.selectors, PSEUDO, kept);
    if (/::first-/.test(selector) && bits & PAINT) push(found.selectors, PAINT | PSEUDO, kept);
    // a list may mix pseudo-elements and plain elements
    if (bits && selector.includes(',')) push(found.selectors, bits, kept);
  }

  match(found) {
    if (!found.selectors.size) return;
    let units = UNITS;
    let filter = null;
    const size = found.root === ownDocument ? byTag('*').length : queryAll(found.root, '*').length;
    for (const [bits, list] of found.selectors) {
      let kept = list;
      if (list.length > 40) {
        filter = filter || classesOf(found.root);
        kept = list.filter((selector) => mayMatch(selector, filter));
      }
      units -= kept.length * size;
      if (units < 0) this.all |= bits;
      else if (kept.length) this.addMatches(found.root, kept, bits);
    }
  }

  addMatches(root, selectors, bits) {
    try {
      this.addAll(queryAll(root, selectors.join(',')), bits);
    } catch {
      this.all |= bits;
    }
  }
}

const push = (map, key, value) => {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
};

const nested = (own, outer) => {
  if (own.includes('&')) return own.replaceAll('&', `:is(${outer})`);
  return /^[>+~]/.test(own) ? `:is(${outer}) ${own}` : `:is(${outer}) :is(${own})`;
};

const sheetsOf = (root) => {
  const proto = root === ownDocument ? DOC : ShadowRoot.prototype;
  const linked = grab(proto, 'styleSheets').call(root);
  const adopted = grab(proto, 'adoptedStyleSheets').call(root);
  return [...linked, ...adopted];
};

const animationsOf = (root) =>
  (root === ownDocument ? DOC : ShadowRoot.prototype).getAnimations.call(root);

const styleText = (el) => {
  if (el instanceof HTMLElement) return get.style.call(el).cssText;
  if (el instanceof SVGElement) return get.svgStyle.call(el).cssText;
  return null;
};

const classesOf = (root) => {
  const classes = new Set();
  const list = queryAll(root, '[class]');
  for (let i = 0; i < list.length; i++) {
    for (const name of attr(list[i], 'class').toLowerCase().split(/\s+/)) classes.add(name);
  }
  return classes;
};

// Whether a selector could match, by the classes it needs; unsure means yes.
const mayMatch = (selector, classes) => {
  if (/[(\\[]/.test(selector)) return true;
  return selector.split(',').some((part) => {
    const needed = part.match(/\.[\w-]+/g);
    return !needed || needed.every((name) => classes.has(name.slice(1).toLowerCase()));
  });
};
