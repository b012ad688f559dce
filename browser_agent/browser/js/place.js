// Whether text lies where a reader can get at it: inside the document or the viewport of a fixed
// box, inside what its clipping ancestors show or let one scroll to, and large enough to read.
// A `place` is inherited down the flat tree and derived anew only at suspects. Boxes are
// [left, top, right, bottom] in viewport coordinates at the present scroll positions.
const MIN_LINE_PX = 3;
const MIN_GLYPH_AREA = 4;

const boxOf = (rect) => [rect.left, rect.top, rect.right, rect.bottom];
const meet = (a, b) => [
  Math.max(a[0], b[0]), Math.max(a[1], b[1]), Math.min(a[2], b[2]), Math.min(a[3], b[3]),
];
const thin = (box, least) => box[2] - box[0] < least || box[3] - box[1] < least;

class Place {
  constructor(clip, abs, fixed, need) {
    this.clip = clip; // for content in the flow
    this.abs = abs; // for absolutely positioned descendants
    this.fixed = fixed; // for fixed descendants
    this.need = need; // whether boxes must be measured at all
    this.scroller = null; // the nearest box that a reader can scroll
    this.gone = false;
  }
}

const firstPlace = () => {
  const root = docRoot();
  const [x, y] = [window.scrollX, window.scrollY];
  const width = Math.max(get.scrollWidth.call(root), window.innerWidth);
  const height = Math.max(get.scrollHeight.call(root), window.innerHeight);
  const reach = [-x, -y, width - x, height - y];
  const style = getComputedStyle(root);
  if (style.direction === 'rtl') [reach[0], reach[2]] = [window.innerWidth - width - x, window.innerWidth - x];
  if (crosswiseLocked(style)) [reach[0], reach[2]] = [0, window.innerWidth];
  return new Place(reach, reach, [0, 0, window.innerWidth, window.innerHeight], false);
};

// A page that may not scroll sideways; a lock of the other axis is how open dialogs hold a page.
const crosswiseLocked = (style) => {
  const locks = (value) => value === 'hidden' || value === 'clip';
  if (style.overflowX !== 'visible') return locks(style.overflowX);
  const body = get.body.call(ownDocument);
  return !!body && locks(getComputedStyle(body).overflowX);
};

const derivePlace = (from, el, style) => {
  const position = style.position;
  const base = position === 'fixed' ? from.fixed : position === 'absolute' ? from.abs : from.clip;
  const place = new Place(base, from.abs, from.fixed, true);
  place.gone = from.gone;
  place.scroller = position === 'fixed' ? null : from.scroller;
  const clipPath = style.clipPath;
  if (clipPath !== 'none') place.clip = meet(place.clip, shapeBox(clipPath, rectOf(el)));
  if (style.clip !== 'auto' && (position === 'absolute' || position === 'fixed')) {
    place.clip = meet(place.clip, clipBox(style.clip, rectOf(el)));
  }
  const transform = style.transform;
  const moved = transform !== 'none' || style.filter !== 'none' || style.perspective !== 'none';
  if (moved && style.backfaceVisibility === 'hidden' && backwards(transform)) place.gone = true;
  addOverflow(place, el, style);
  if (thin(place.clip, 1)) place.gone = true;
  if (moved || position !== 'static') place.abs = place.clip;
  if (moved) place.fixed = place.clip;
  return place;
};

const addOverflow = (place, el, style) => {
  let [x, y] = [style.overflowX, style.overflowY];
  if (/strict|content|paint/.test(style.contain || '')) [x, y] = ['clip', 'clip'];
  if (x === 'visible' && y === 'visible') return;
  if (el === docRoot() || el === get.body.call(ownDocument)) return;
  if (style.display.startsWith('inline') && style.display === 'inline') return;
  const box = boxOf(rectOf(el));
  const shown = meet(box, place.clip);
  if (thin(shown, 2)) {
    place.gone = true;
    return;
  }
  const clip = place.clip.slice();
  if (scrolls(x) || scrolls(y)) place.scroller = el;
  bind(clip, 0, x, box, get.scrollLeft.call(el), get.scrollWidth.call(el));
  bind(clip, 1, y, box, get.scrollTop.call(el), get.scrollHeight.call(el));
  place.clip = clip;
};

const scrolls = (overflow) => overflow === 'auto' || overflow === 'scroll';

// One axis of a box that clips: hidden content is cut, scrollable content is reachable.
const bind = (clip, axis, overflow, box, scrolled, size) => {
  if (overflow === 'visible') return;
  if (scrolls(overflow)) {
    clip[axis] = box[axis] - Math.max(0, scrolled);
    clip[axis + 2] = clip[axis] + Math.max(size, box[axis + 2] - box[axis]);
    if (scrolled < 0) clip[axis] = box[axis + 2] - size - scrolled;
    return;
  }
  clip[axis] = Math.max(clip[axis], box[axis]);
  clip[axis + 2] = Math.min(clip[axis + 2], box[axis + 2]);
};

const backwards = (transform) => {
  const m = /^matrix3d\((.*)\)$/.exec(transform);
  return !!m && parseFloat(m[1].split(',')[10]) < 0;
};

const NOTHING = [0, 0, -1, -1];
const clipBox = (clip, rect) => {
  const parts = /^rect\((.*)\)$/.exec(clip);
  if (!parts) return boxOf(rect);
  const [t, r, b, l] = parts[1].split(/,\s*|\s+/).map((v) => (v === 'auto' ? NaN : parseFloat(v)));
  return [
    rect.left + (l || 0),
    rect.top + (t || 0),
    Number.isNaN(r) ? rect.right : rect.left + r,
    Number.isNaN(b) ? rect.bottom : rect.top + b,
  ];
};

// The box around what a clip-path leaves; the element's own box when the shape is not known.
const shapeBox = (shape, rect) => {
  const found = /^(inset|circle|ellipse|polygon|path)\((.*)\)/.exec(shape);
  if (!found) return boxOf(rect).map((v, i) => (i < 2 ? v - 4_000 : v + 4_000));
  const [, kind, args] = found;
  if (kind === 'inset') return insetBox(args, rect);
  if (kind === 'polygon') return polygonBox(args, rect);
  if (kind === 'path') return /[mM][^mM]*[lLhHvVcCsSqQtTaA]/.test(args) ? boxOf(rect) : NOTHING;
  return roundBox(args, rect);
};

const lengthOf = (text, whole) => {
  if (text === 'center') return whole / 2;
  if (text === 'left' || text === 'top') return 0;
  if (text === 'right' || text === 'bottom') return whole;
  const value = parseFloat(text);
  return text.endsWith('%') ? (value * whole) / 100 : value;
};

const insetBox = (args, rect) => {
  const v = args.split(' round ')[0].trim().split(/\s+/);
  const [t, r = t, b = t, l = r] = v;
  return [
    rect.left + lengthOf(l, rect.width), rect.top + lengthOf(t, rect.height),
    rect.right - lengthOf(r, rect.width), rect.bottom - lengthOf(b, rect.height),
  ];
};

const polygonBox = (args, rect) => {
  const points = args.replace(/^(?:evenodd|nonzero),\s*/, '').split(',').map((p) => p.trim().split(/\s+/));
  const xs = points.map((p) => rect.left + lengthOf(p[0], rect.width));
  const ys = points.map((p) => rect.top + lengthOf(p[1] || '0', rect.height));
  let area = 0;
  for (let i = 0; i < xs.length; i++) {
    const j = (i + 1) % xs.length;
    area += xs[i] * ys[j] - xs[j] * ys[i];
  }
  if (Math.abs(area) < 8) return NOTHING;
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
};

const roundBox = (args, rect) => {
  const [size, at = '50% 50%'] = args.split(/\s*\bat\b\s*/);
  const [cx, cy] = at.trim().split(/\s+/);
  const [rx = '', ry = rx] = size.trim().split(/\s+/);
  const x = rect.left + lengthOf(cx, rect.width);
  const y = rect.top + lengthOf(cy || '50%', rect.height);
  const w = radius(rx, rect.width, rect);
  const h = radius(ry, rect.height, rect);
  return w < 1 || h < 1 ? NOTHING : [x - w, y - h, x + w, y + h];
};
const radius = (text, whole, rect) =>
  /^[\d.]/.test(text) ? lengthOf(text, whole) : Math.max(rect.width, rect.height);

// Whether a box of text or of a control can be reached and is large enough to be made out.
const reachable = (rect, place) => {
  if (place.gone) return false;
  const clip = place.clip;
  const w = Math.min(rect.right, clip[2]) - Math.max(rect.left, clip[0]);
  const h = Math.min(rect.bottom, clip[3]) - Math.max(rect.top, clip[1]);
  return w > 0 && h > 0 && w >= Math.min(3, rect.width * 0.75) && h >= Math.min(5, rect.height * 0.75);
};

const legible = (rect, text) => {
  if (rect.height < MIN_LINE_PX || rect.width < 1) return false;
  if (rect.width * rect.height >= text.length * MIN_GLYPH_AREA) return true;
  const glyphs = text.replace(/[\s\p{Cf}\p{Mn}]/gu, '').length;
  return rect.width * rect.height >= glyphs * MIN_GLYPH_AREA;
};

// The part of a text node that its clipping ancestors leave, by halving on the range's box.
const measure = document.createRange();
const firstLine = (node) => {
  measure.selectNodeContents(node);
  const lines = measure.getClientRects();
  return lines.length ? lines[0].height : 0;
};
const shownPart = (given, rect, place, text) => {
  const node = isElement(given) ? get.firstChild.call(given) : given;
  if (!node || get.nodeType.call(node) !== 3) return text;
  const clip = place.clip;
  const spillX = rect.right - clip[2] > 12;
  const spillY = rect.bottom - clip[3] > 12;
  if ((!spillX && !spillY) || text.length < 12) return text;
  if (!spillY && rect.height > 2 * firstLine(node)) return text; // every line is cut alike
  let low = 0;
  let high = Math.min(get.length.call(node), 100_000);
  const raw = get.data.call(node);
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    measure.setStart(node, 0);
    measure.setEnd(node, middle);
    const box = measure.getBoundingClientRect();
    if (box.bottom - clip[3] > 6 || box.right - clip[2] > 6) high = middle;
    else low = middle;
  }
  return raw.slice(low).trim() ? cutText(raw, low) + '…' : text;
};
