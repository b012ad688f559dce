// Whether text is painted so that a reader can see it: colour against what lies behind it,
// opacity over all ancestors, filters, blending, masks, size. A `look` is inherited down the flat
// tree and derived anew only at suspects.
const MIN_RATIO = 1.15; // WCAG contrast below which text is not perceivable ...
const MIN_STEP = 26; // ... unless one colour channel differs by more than this
const MIN_ALPHA = 0.1;
const MIN_FONT_PX = 3;
const BLACK = [0, 0, 0, 1];
const WHITE = [255, 255, 255];
const DARK = [18, 18, 18];

const colourCache = new Map();
let colourCanvas = null;

// [r, g, b, a] of a computed colour; exotic colour spaces are converted by a canvas.
const parseColour = (text) => {
  let known = colourCache.get(text);
  if (known) return known;
  const plain = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/.exec(text);
  known = plain
    ? [+plain[1], +plain[2], +plain[3], plain[4] === undefined ? 1 : +plain[4]]
    : canvasColour(text);
  if (colourCache.size > 5_000) colourCache.clear();
  colourCache.set(text, known);
  return known;
};

const canvasColour = (text) => {
  if (!colourCanvas) {
    colourCanvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  }
  colourCanvas.clearRect(0, 0, 1, 1);
  colourCanvas.fillStyle = 'rgba(0,0,0,0)';
  colourCanvas.fillStyle = text;
  colourCanvas.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = colourCanvas.getImageData(0, 0, 1, 1).data;
  return [r, g, b, a / 255];
};

const over = (top, alpha, back) => [
  top[0] * alpha + back[0] * (1 - alpha),
  top[1] * alpha + back[1] * (1 - alpha),
  top[2] * alpha + back[2] * (1 - alpha),
];
const linear = (v) => (v <= 10 ? v / 3294.6 : ((v / 255 + 0.055) / 1.055) ** 2.4);
const luminance = (c) => 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2]);
const tooClose = (a, b) => {
  const step = Math.max(Math.abs(a[0] - b[0]), Math.abs(a[1] - b[1]), Math.abs(a[2] - b[2]));
  if (step > MIN_STEP) return false;
  const [x, y] = [luminance(a), luminance(b)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05) < MIN_RATIO;
};

// Colours of a gradient, or null when the image is not made of plain colour stops.
const COLOURS = /(?:rgba?|hsla?|color|oklch|oklab|lab|lch)\([^()]*\)/g;
const stopsOf = (image) => {
  if (!/^[a-z-]*gradient\(/.test(image) || image.includes('url(')) return null;
  const stops = image.match(COLOURS);
  return stops ? stops.map(parseColour) : null;
};

const channels = (c, f) => [f(c[0] / 255) * 255, f(c[1] / 255) * 255, f(c[2] / 255) * 255].map(clamp);
const clamp = (v) => Math.min(255, Math.max(0, v));
const grey = (c) => 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
const FILTERS = {
  brightness: (v) => (c) => channels(c, (x) => x * v),
  contrast: (v) => (c) => channels(c, (x) => (x - 0.5) * v + 0.5),
  invert: (v) => (c) => channels(c, (x) => x * (1 - 2 * v) + v),
  grayscale: (v) => (c) => over([grey(c), grey(c), grey(c)], Math.min(1, v), c),
  saturate: (v) => (c) => over(c, Math.min(1, v), [grey(c), grey(c), grey(c)]),
};
const BLENDS = {
  multiply: (s, b) => s * b,
  screen: (s, b) => s + b - s * b,
  darken: (s, b) => Math.min(s, b),
  lighten: (s, b) => Math.max(s, b),
  difference: (s, b) => Math.abs(s - b),
  exclusion: (s, b) => s + b - 2 * s * b,
  'color-dodge': (s, b) => (b === 0 ? 0 : s >= 1 ? 1 : Math.min(1, b / (1 - s))),
  'color-burn': (s, b) => (b >= 1 ? 1 : s <= 0 ? 0 : 1 - Math.min(1, (1 - b) / s)),
  'hard-light': (s, b) => (s <= 0.5 ? 2 * s * b : 1 - 2 * (1 - s) * (1 - b)),
  overlay: (s, b) => (b <= 0.5 ? 2 * s * b : 1 - 2 * (1 - s) * (1 - b)),
  'plus-lighter': (s, b) => Math.min(1, s + b),
};
const blend = (mode, back) => (c) =>
  [0, 1, 2].map((i) => clamp(BLENDS[mode](c[i] / 255, back[i] / 255) * 255));

class Look {
  constructor(colour, back, size) {
    this.colour = colour;
    this.back = back; // [r, g, b], or null when it cannot be known
    this.stops = null; // colours of a gradient behind the text
    this.alpha = 1;
    this.size = size;
    this.effects = null; // colour functions of filters and blending, inner ones first
    this.inside = false; // an own background was painted since the effects began
    this.gone = false; // an effect hides everything below
    this.masked = false; // shown as bullets
    this.rescue = false; // shadow, stroke or clipped background makes the glyphs visible
    this.clipped = false; // a visible background is clipped to the text
    this.verdict = ''; // '' visible, 'hidden', 'low' (no contrast with what the DOM says)
  }
}

const firstLook = () => {
  const scheme = getComputedStyle(docRoot()).colorScheme;
  const dark = scheme.includes('dark') && matchMedia('(prefers-color-scheme: dark)').matches;
  const look = new Look(dark ? [255, 255, 255, 1] : BLACK, dark ? DARK : WHITE, 16);
  const outer = frameBack();
  if (outer !== undefined) look.back = outer;
  return look;
};

// What lies behind a frame of the same origin: undefined when it cannot be asked.
const frameBack = () => {
  let holder = null;
  try {
    holder = window.frameElement;
  } catch {
    return undefined;
  }
  if (!holder) return undefined;
  for (let el = holder; el; el = flatParent(el)) {
    const style = getComputedStyle(el);
    if (style.backgroundImage !== 'none') return null;
    const colour = parseColour(style.backgroundColor);
    if (colour[3] > 0.9) return colour.slice(0, 3);
  }
  return undefined;
};

const deriveLook = (from, style) => {
  const look = new Look(parseColour(style.webkitTextFillColor), from.back, parseFloat(style.fontSize));
  look.alpha = from.alpha * style.opacity;
  look.stops = from.stops;
  look.effects = from.effects;
  look.inside = from.inside;
  look.gone = from.gone;
  look.clipped = from.clipped;
  look.masked = style.webkitTextSecurity !== 'none' && style.webkitTextSecurity !== undefined;
  addEffects(look, style);
  addBackground(look, style);
  look.verdict = judge(look);
  if (look.verdict && !look.gone && look.size >= MIN_FONT_PX && rescued(look, style)) {
    look.rescue = true;
    look.verdict = '';
  }
  return look;
};

const addEffects = (look, style) => {
  if (style.filter !== 'none') {
    for (const [, name, value] of style.filter.matchAll(/([a-z-]+)\(([^()]*)/g)) {
      addFilter(look, name, parseFloat(value));
    }
  }
  const mode = style.mixBlendMode;
  if (mode !== 'normal' && BLENDS[mode] && look.back) {
    look.effects = [...(look.effects || []), blend(mode, look.back)];
    look.inside = false;
  }
  const mask = style.maskImage;
  if (mask && mask !== 'none') {
    const stops = stopsOf(mask);
    if (stops && stops.every((stop) => stop[3] < MIN_ALPHA)) look.gone = true;
    if (/(?:^|, )0px 0px/.test(style.maskSize)) look.gone = true;
  }
};

const addFilter = (look, name, value) => {
  if (name === 'opacity') look.alpha *= Math.min(1, value);
  else if (name === 'blur') look.gone ||= value >= Math.max(3, look.size * 0.3);
  else if (FILTERS[name]) {
    look.effects = [...(look.effects || []), FILTERS[name](value)];
    look.inside = false;
  }
};

const addBackground = (look, style) => {
  const colour = parseColour(style.backgroundColor);
  const image = style.backgroundImage;
  if (colour[3] === 0 && image === 'none') return;
  if (style.backgroundClip.split(', ').includes('text')) {
    look.clipped = clippedShows(look, colour, image);
    return;
  }
  if (colour[3] > 0) {
    if (look.back) look.back = over(colour, colour[3] * look.alpha, look.back);
    else if (colour[3] * look.alpha > 0.95) look.back = colour.slice(0, 3);
    if (colour[3] > 0.5) look.stops = null;
    look.inside = true;
  }
  if (image === 'none') return;
  look.stops = stopsOf(image);
  look.inside = true;
  if (!look.stops || look.stops.some((stop) => stop[3] < 0.95)) {
    look.back = look.stops && look.back ? look.back : null;
  }
};

// Whether a background that fills the glyphs differs from what lies behind them.
const clippedShows = (look, colour, image) => {
  const stops = stopsOf(image);
  if (image !== 'none' && !stops) return true;
  const back = look.back || WHITE;
  return [colour, ...(stops || [])].some((one) => !tooClose(over(one, one[3], back), back));
};

const applied = (look, colour) =>
  (look.effects || []).reduceRight((value, effect) => effect(value), colour);

const judge = (look) => {
  if (look.gone || look.masked || look.size < MIN_FONT_PX) return 'hidden';
  const alpha = look.colour[3] * look.alpha;
  if (alpha < MIN_ALPHA) return 'hidden';
  if (look.stops) {
    const close = look.stops.every((stop) => tooClose(over(look.colour, alpha, stop), stop));
    return close ? 'low' : '';
  }
  if (!look.back) return '';
  const back = look.inside ? applied(look, look.back) : look.back;
  const text = over(applied(look, look.colour), alpha, back);
  return tooClose(text, back) ? 'low' : '';
};

// Transparent fill is no proof of hiding: a shadow, a stroke or a clipped background may show it.
const rescued = (look, style) => {
  if (look.masked || look.alpha < MIN_ALPHA) return false;
  if (look.clipped) return true;
  const back = look.back || WHITE;
  const shows = (colour) => !tooClose(over(colour, colour[3] * look.alpha, back), back);
  if (parseFloat(style.webkitTextStrokeWidth) >= 0.5) {
    if (shows(parseColour(style.webkitTextStrokeColor))) return true;
  }
  if (style.textShadow === 'none') return false;
  const blur = /\) -?[\d.]+px -?[\d.]+px ([\d.]+)px/.exec(style.textShadow);
  const colours = (style.textShadow.match(COLOURS) || []).map(parseColour);
  return colours.some(shows) && !!blur && +blur[1] <= look.size * 0.75;
};

// Text of a drawing is filled, not coloured; other shapes of the drawing may lie behind it.
const SHAPES = 'rect,circle,ellipse,path,polygon,image,use,line,polyline';
const paintSvg = (look, style, el) => {
  if (!/^(?:text|tspan|textPath)$/.test(tagOf(el))) return;
  const fill = style.fill === 'none' ? null : parseColour(/^url/.test(style.fill) ? 'rgb(0, 0, 0)' : style.fill);
  const stroked = style.stroke !== 'none' && parseFloat(style.strokeWidth) > 0;
  const alpha = fill ? fill[3] * style.fillOpacity * look.alpha : 0;
  const drawing = el.ownerSVGElement;
  if (look.verdict === 'hidden' && (look.size < MIN_FONT_PX || look.gone)) return;
  if (stroked && look.alpha >= MIN_ALPHA) look.verdict = '';
  else if (alpha < MIN_ALPHA) look.verdict = 'hidden';
  else if (!look.back || (drawing && fn.all.call(drawing, SHAPES).length)) look.verdict = '';
  else look.verdict = tooClose(over(fill, alpha, look.back), look.back) ? 'low' : '';
};
