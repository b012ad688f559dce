// What is painted over text, and what else may lie behind it. Both need boxes of other elements,
// so they are gathered once in a walk and only when something makes them matter.
const MEDIA = 'img,video,canvas,picture,iframe,embed,object,svg';
const MEDIA_TAG = /^(?:img|video|canvas|iframe|embed|object|svg)$/;
const COVERS = 400;
const SCANNED = 5_000;

class Painter {
  constructor(el, box, colour, opaque) {
    this.el = el;
    this.box = box;
    this.colour = colour; // null: a picture, anything may be in it
    this.opaque = opaque;
    this.chain = null;
    this.pseudo = false;
  }
}

class Covers {
  constructor(profile) {
    this.profile = profile;
    this.painters = null;
    this.above = null;
    this.keys = new Map();
    this.levels = new Map();
    this.sinks = false; // some layer is negative
  }

  // Everything that paints an area: backgrounds of suspects and pictures.
  list() {
    if (this.painters) return this.painters;
    this.painters = [];
    const seen = new Set();
    const take = (el, bits) => {
      if (seen.has(el) || seen.size > SCANNED) return;
      seen.add(el);
      const painter = painterOf(el, bits);
      if (painter) this.painters.push(painter);
    };
    const wanted = PAINT | PSEUDO;
    for (const [el, bits] of this.profile.bits) if (bits & wanted) take(el, bits);
    for (const root of this.profile.seen) {
      const list = queryAll(root, this.profile.all & wanted ? '*' : MEDIA);
      for (let i = 0; i < list.length; i++) take(list[i], this.profile.of(list[i]));
    }
    return this.painters;
  }

  // Opaque painters that stand above the flow: the only ones that can cover text.
  over() {
    if (this.above) return this.above;
    this.above = [];
    if (!this.lifted()) return this.above;
    this.sinks = this.anySunk();
    for (const painter of this.list()) {
      if (this.above.length >= COVERS) break;
      if (!painter.opaque || thin(painter.box, 4)) continue;
      painter.chain = this.chainOf(painter.el);
      const last = painter.chain[painter.chain.length - 1];
      const moved = MEDIA_TAG.test(tagOf(painter.el)) && this.profile.of(painter.el) & PLACE;
      if (last.layer === 0 && painter.chain.length === 1 && !moved) continue;
      if (painter.chain.reduce((alpha, level) => alpha * level.alpha, 1) < 0.9) continue;
      this.above.push(painter);
    }
    return this.above;
  }

  lifted() {
    if (this.profile.all & LAYERED) return true;
    for (const bits of this.profile.bits.values()) if (bits & LAYERED) return true;
    return false;
  }

  // Whether text lies behind the ground of an ancestor: a negative layer goes under it.
  sunk(el) {
    for (let at = el; at; at = flatParent(at)) {
      const level = this.levelOf(at);
      if (!level || level.z >= 0) continue;
      for (let up = flatParent(at); up && up !== docRoot(); up = flatParent(up)) {
        const above = this.levelOf(up);
        if (above && above.context) break;
        if (up === get.body.call(ownDocument) || !(this.profile.of(up) & PAINT)) continue;
        const ground = groundOf(getComputedStyle(up));
        if (ground && ground.opaque) return true;
      }
    }
    return false;
  }

  anySunk() {
    if (this.profile.all & LAYERED) return true;
    for (const [el, bits] of this.profile.bits) {
      if (bits & LAYERED && getComputedStyle(el).zIndex < 0) return true;
    }
    return false;
  }

  // Stacking position of an element: the contexts it is in, then its own layer.
  chainOf(el) {
    const known = this.keys.get(el);
    if (known) return known;
    const contexts = [];
    let tail = null;
    for (let at = el; at; at = flatParent(at)) {
      const level = this.levelOf(at);
      if (!level) continue;
      if (level.context) contexts.unshift(level);
      else if (!tail && !contexts.length) tail = level;
    }
    const own = contexts.length && contexts[contexts.length - 1].el === el;
    if (!own) contexts.push(tail || { el, z: 0, layer: 0, alpha: 1, fixed: false });
    this.keys.set(el, contexts);
    return contexts;
  }

  levelOf(el) {
    if (!(this.profile.of(el) & LAYERED)) return null;
    if (this.levels.has(el)) return this.levels.get(el);
    const level = levelFrom(el, getComputedStyle(el));
    this.levels.set(el, level);
    return level;
  }

  // Whether a box of text is hidden under something opaque.
  hides(el, rect, place) {
    const box = boxOf(rect);
    if (this.sinks && this.sunk(el)) return true;
    for (const painter of this.over()) {
      if (!encloses(painter.box, box) || fn.contains.call(painter.el, el)) continue;
      if (isAncestor(painter.el, el)) continue;
      if (!stands(painter.chain, this.chainOf(el), painter)) continue;
      if (scrollsFree(painter, el, place)) continue;
      return true;
    }
    return false;
  }

  // Whether something besides the ancestors' backgrounds gives low-contrast text a ground.
  grounds(el, rect, look) {
    const [x, y] = [(rect.left + rect.right) / 2, (rect.top + rect.bottom) / 2];
    const alpha = look.colour[3] * look.alpha;
    for (const painter of this.list()) {
      const [l, t, r, b] = painter.box;
      if (x < l || x > r || y < t || y > b) continue;
      if (!painter.pseudo && isAncestor(painter.el, el)) continue;
      if (!painter.colour) return true;
      if (!tooClose(over(look.colour, alpha, painter.colour), painter.colour)) return true;
    }
    return false;
  }
}

const isAncestor = (ancestor, el) => {
  for (let at = el; at; at = flatParent(at)) if (at === ancestor) return true;
  return false;
};

const painterOf = (el, bits) => {
  if (!fn.check.call(el, { opacityProperty: true, visibilityProperty: true })) return null;
  const box = boxOf(rectOf(el));
  if (thin(box, 2)) return null;
  if (MEDIA_TAG.test(tagOf(el))) return new Painter(el, box, null, tagOf(el) !== 'svg');
  const own = groundOf(getComputedStyle(el));
  if (own) return new Painter(el, box, own.colour, own.opaque);
  if (!(bits & PSEUDO)) return null;
  for (const which of ['::before', '::after']) {
    const style = getComputedStyle(el, which);
    const ground = style.content === 'none' ? null : groundOf(style);
    if (!ground) continue;
    const painter = new Painter(el, box, ground.colour, false);
    painter.pseudo = true;
    return painter;
  }
  return null;
};

const groundOf = (style) => {
  const image = style.backgroundImage;
  const colour = parseColour(style.backgroundColor);
  if (style.backgroundClip.includes('text')) return null;
  if (image !== 'none') {
    const stops = stopsOf(image);
    if (!stops) return { colour: null, opaque: colour[3] > 0.95 };
    const solid = stops.every((stop) => stop[3] > 0.95);
    return { colour: stops[0][3] > 0.5 ? stops[0] : null, opaque: solid };
  }
  if (colour[3] < 0.1) return null;
  return { colour, opaque: colour[3] * style.opacity > 0.95 };
};

const levelFrom = (el, style) => {
  const positioned = style.position !== 'static';
  const fixed = style.position === 'fixed' || style.position === 'sticky';
  const z = style.zIndex === 'auto' ? 0 : +style.zIndex;
  const effects =
    style.opacity < 1 || style.transform !== 'none' || style.filter !== 'none' ||
    style.isolation === 'isolate' || style.mixBlendMode !== 'normal' || style.clipPath !== 'none' ||
    style.translate !== 'none' || style.scale !== 'none' || style.rotate !== 'none';
  const context = fixed || effects || style.zIndex !== 'auto';
  if (!positioned && !context) return null;
  return { el, z, layer: 1, context, fixed, alpha: +style.opacity };
};

// Whether chain a is painted above chain b.
const stands = (a, b, painter) => {
  for (let i = 0; i < a.length && i < b.length; i++) {
    if (a[i].el === b[i].el) continue;
    if (a[i].z !== b[i].z) return a[i].z > b[i].z;
    if (a[i].layer !== b[i].layer) return a[i].layer > b[i].layer;
    const after = a[i].el.compareDocumentPosition(b[i].el) & Node.DOCUMENT_POSITION_PRECEDING;
    return !!after && (a[i].layer === 1 || MEDIA_TAG.test(tagOf(painter.el)));
  }
  return false;
};

const encloses = (outer, inner) =>
  outer[0] <= inner[0] + 2 && outer[1] <= inner[1] + 2 &&
  outer[2] >= inner[2] - 2 && outer[3] >= inner[3] - 2;

// Text that can be scrolled out from under a cover is not hidden by it.
const scrollsFree = (painter, el, place) => {
  const fixed = painter.chain.find((level) => level.fixed);
  if (fixed && !isAncestor(fixed.el, el)) {
    const view = [0, 0, window.innerWidth, window.innerHeight];
    if (!encloses(painter.box, view)) return true;
  }
  const scroller = place.scroller;
  if (scroller && !isAncestor(scroller, painter.el)) {
    return !encloses(painter.box, boxOf(rectOf(scroller)));
  }
  return false;
};
