// One walk over the flat tree, without recursion, that hands visible content to an emitter.
// An emitter has: open(el, tag, bits, ctx, walk) -> LEAF | token | null, close(token, walk),
// text(string), space(), line() (a block boundary), and `cont` (text stands before in this block).
// `opens` names plain elements that it wants to open too.
const LEAF = Symbol('leaf');
const SKIPPED = new Set(
  ('script style template noscript head meta link title base datalist param source track rp ' +
    'defs symbol clippath mask pattern marker metadata desc').split(' '),
);
const CHILDLESS = new Set(
  'video audio canvas iframe frame embed progress meter select textarea input img br hr wbr'.split(' '),
);
const BLOCKS = new Set(
  ('address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption ' +
    'figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol ' +
    'optgroup option p pre search section summary table caption tbody td tfoot th thead tr ul').split(' '),
);
const PLAIN = new Set(
  ('b i em strong span small u s sub sup font mark abbr cite q kbd samp var tt big bdi bdo data time ' +
    'ins del wbr nobr div p section center tbody thead tfoot dl dd dt hgroup address').split(' '),
);
// Elements whose colours the browser sets itself, so that they do not inherit an ancestor's look.
const TINTED = new Set('a button input select textarea mark summary'.split(' '));

class Ctx {
  constructor(look, place, unseen, pointer, check) {
    this.look = look;
    this.place = place;
    this.unseen = unseen; // visibility is not visible
    this.pointer = pointer; // the cursor is a pointer here
    this.check = check; // children may have no box for reasons that styles do not show
    this.inert = false;
    this.svg = false;
    this.bare = false; // an element's own: its contents are not rendered
  }

  with(changes) {
    const copy = new Ctx(this.look, this.place, this.unseen, this.pointer, this.check);
    copy.inert = this.inert;
    copy.svg = this.svg;
    for (const key in changes) copy[key] = changes[key];
    return copy;
  }
}

class Frame {
  constructor() {
    this.el = null;
    this.token = null;
    this.ctx = null;
    this.flow = 0;
    this.soft = false;
    this.next = null;
    this.list = null;
    this.at = 0;
    this.mute = false;
    this.pre = false;
    this.mark = -1;
  }
}

class Walk {
  constructor(emitter, options) {
    this.em = emitter;
    this.profile = new Profile();
    this.covers = new Covers(this.profile);
    this.flags = { hidden_text: 0, covered_text: 0, masked_values: 0, hidden_controls: 0 };
    this.left = options.nodes;
    this.until = performance.now() + options.ms;
    this.view = options.viewport || false;
    this.nodes = 0;
    this.elements = 0;
    this.cut = '';
    this.closed = [];
    this.stack = []; // frames are kept and used again: one for each depth
    this.top = -1;
    this.flow = 0;
    this.soft = false;
    this.hidesKids = false;
    this.checkCovers = false;
    this.ctxs = new Map();
  }

  run(top) {
    this.profile.scan(ownDocument);
    for (let root = rootOf(top); root instanceof ShadowRoot; root = rootOf(get.host.call(root))) {
      this.profile.scan(root);
    }
    this.checkCovers = this.covers.over().length > 0 || this.covers.sinks;
    const outer = flatParent(top);
    const ctx = outer ? this.ctxOf(outer) : this.firstCtx();
    if (ctx && !ctx.bare) {
      const start = this.frame(null, null, ctx, 0, false);
      start.list = [top];
      this.loop();
    }
    this.em.line();
  }

  firstCtx() {
    if (!this.first) {
      this.first = new Ctx(firstLook(), firstPlace(), false, false, false);
      const modal = [...byTag('dialog')].filter((el) => fn.matches.call(el, ':modal'));
      this.modal = modal.length ? modal[modal.length - 1] : null;
      this.first.inert = this.modal !== null;
    }
    return this.first;
  }

  loop() {
    const stack = this.stack;
    while (this.top >= 0) {
      const frame = stack[this.top];
      let child = null;
      if (frame.list) {
        if (frame.at < frame.list.length) child = frame.list[frame.at++];
      } else if (frame.next) {
        child = frame.next;
        frame.next = get.nextSibling.call(child);
      }
      if (!child || this.cut) {
        this.top--;
        this.leave(frame);
        continue;
      }
      if ((++this.nodes & 255) === 0) this.checkBudget();
      const type = get.nodeType.call(child);
      if (type === 3) this.text(child, frame);
      else if (type === 1) this.element(child, frame);
    }
  }

  checkBudget() {
    if (this.nodes > this.left) this.cut = 'nodes';
    else if (performance.now() > this.until) this.cut = 'time';
  }

  frame(el, token, ctx, flow, soft) {
    const at = ++this.top;
    const frame = at < this.stack.length ? this.stack[at] : (this.stack[at] = new Frame());
    frame.el = el;
    frame.token = token;
    frame.ctx = ctx;
    frame.flow = flow;
    frame.soft = soft;
    frame.next = null;
    frame.list = null;
    frame.at = 0;
    frame.mark = -1;
    return frame;
  }

  element(el, frame) {
    const tag = tagOf(el);
    this.elements++;
    if (SKIPPED.has(tag)) return;
    const shadow = get.shadowRoot.call(el);
    if (shadow) this.profile.scan(shadow);
    let bits = this.profile.full(el, tag);
    let ctx = frame.ctx;
    if (ctx.svg || tag === 'svg') bits |= STYLE;
    this.flow = BLOCKS.has(tag) ? 2 : 0;
    this.soft = false;
    this.hidesKids = false;
    if (bits & STYLE || ctx.check || (this.profile.paints && TINTED.has(tag))) {
      ctx = this.derive(ctx, el, tag, bits);
      if (!ctx) return;
    }
    if (el === this.modal) ctx = ctx.with({ inert: false });
    else if (bits & MARKED && hasAttr(el, 'inert')) ctx = ctx.with({ inert: true });
    const flow = frame.soft && this.flow === 0 ? 1 : this.flow;
    this.enter(el, tag, bits, shadow, ctx, frame, flow);
  }

  enter(el, tag, bits, shadow, ctx, frame, flow) {
    const [soft, hidesKids, em] = [this.soft, this.hidesKids, this.em];
    if (flow === 2) em.line();
    else if (flow === 1) em.space();
    if (flow === 2) em.cont = false;
    const special = !PLAIN.has(tag) || bits & (MARKED | CURSOR) || em.opens?.has(tag) || listening.has(el);
    const token = special ? em.open(el, tag, bits, ctx, this, frame) : null;
    if (token === LEAF || hidesKids || CHILDLESS.has(tag) || (tag === 'svg' && !svgHasParts(el, this))) {
      if (token && token !== LEAF) em.close(token, this);
      if (flow === 2) em.cont = false;
      return;
    }
    const own = this.frame(el, token, ctx, flow, soft);
    own.mute = token !== null && (token.mute || token.frees) ? token.mute === true : frame.mute;
    own.pre = frame.pre || tag === 'pre';
    if (!shadow && get.firstElement.call(el) === null && tag !== 'slot') {
      this.leaf(el, tag, own);
      this.top--;
      this.leave(own);
    } else this.children(el, tag, shadow, own);
  }

  // An element without child elements: its text in one piece.
  leaf(el, tag, own) {
    if (tag === 'details' || own.mute) return;
    if (tag.includes('-') || tag === 'object') {
      own.mark = this.em.size;
      own.ctx = own.ctx.with({ check: true });
    }
    const raw = get.textContent.call(el);
    if (raw !== '') this.piece(el, raw, own);
  }

  children(el, tag, shadow, own) {
    if (shadow) own.next = get.firstChild.call(shadow);
    else if (tag === 'slot' && el instanceof HTMLSlotElement) {
      const given = fn.assigned.call(el);
      if (given.length) own.list = given;
      else own.next = get.firstChild.call(el);
    } else if (tag === 'details' && !hasAttr(el, 'open')) {
      own.list = childList(el).filter((c) => isElement(c) && tagOf(c) === 'summary').slice(0, 1);
    } else own.next = get.firstChild.call(el);
    if (!shadow && (tag.includes('-') || tag === 'object')) {
      own.ctx = own.ctx.with({ check: true });
      own.mark = this.em.size;
    } else if (tag === 'svg') own.ctx = own.ctx.with({ svg: true });
    else if (tag === 'foreignObject') own.ctx = own.ctx.with({ svg: false });
  }

  leave(frame) {
    if (!frame.el) return;
    if (frame.flow === 2) this.em.line();
    else if (frame.flow === 1) this.em.space();
    if (frame.mark >= 0 && frame.mark === this.em.size && this.em.buf === '') this.noteClosed(frame.el);
    if (frame.token) this.em.close(frame.token, this);
    if (frame.flow === 2) this.em.cont = false; // what follows a block is no part of the text before
  }

  // A custom element with a box and nothing in it: its content may be in a closed shadow root.
  noteClosed(el) {
    const tag = tagOf(el);
    if (!tag.includes('-') || this.closed.length >= 20) return;
    const rect = rectOf(el);
    if (rect.width >= 8 && rect.height >= 8) this.closed.push(tag);
  }

  // The context inside an element, or null when it is not displayed at all.
  derive(from, el, tag, bits) {
    if (from.check && !fn.check.call(el) && getComputedStyle(el).display !== 'contents') return null;
    const style = getComputedStyle(el);
    let { look, place, unseen, pointer } = from;
    if (bits & DISPLAY) {
      const display = style.display;
      if (display === 'none') return null;
      this.readDisplay(el, tag, display, style);
      unseen = style.visibility !== 'visible';
    }
    if (bits & PAINT || (TINTED.has(tag) && this.profile.paints)) {
      look = deriveLook(look, style);
      if (from.svg) paintSvg(look, style, el);
      else if (bits & PSEUDO) this.firstLine(look, el);
      if (look.gone || look.alpha < 0.02) return null;
    }
    if (bits & PLACE) place = derivePlace(place, el, style);
    if (bits & CURSOR) pointer = style.cursor === 'pointer';
    return from.with({ look, place, unseen, pointer });
  }

  readDisplay(el, tag, display, style) {
    this.hidesKids = style.contentVisibility === 'hidden';
    if (display === 'inline' || display === 'contents' || display.startsWith('ruby')) this.flow = 0;
    else if (display.startsWith('inline')) this.flow = 1;
    else this.flow = 2;
    if (this.flow === 0 && style.float !== 'none') this.flow = 1;
    this.soft = display.includes('flex') || display.includes('grid');
  }

  // A first line painted otherwise may be the whole text.
  firstLine(look, el) {
    for (const which of ['::first-line', '::first-letter']) {
      const style = getComputedStyle(el, which);
      const colour = parseColour(style.color);
      if (look.back && tooClose(over(colour, colour[3], look.back), look.back)) look.verdict ||= 'low';
    }
  }

  // The context inside any element, by deriving down from the top.
  ctxOf(el) {
    const path = [];
    let at = el;
    let ctx = null;
    for (; at && path.length < 600; at = flatParent(at)) {
      if (this.ctxs.has(at)) {
        ctx = this.ctxs.get(at);
        break;
      }
      path.push(at);
    }
    if (!at || path.length >= 600) ctx = this.firstCtx();
    for (let i = path.length - 1; i >= 0 && ctx; i--) {
      ctx = this.inside(ctx, path[i]);
      this.ctxs.set(path[i], ctx);
    }
    return ctx;
  }

  inside(ctx, el) {
    const tag = tagOf(el);
    if (ctx.bare || SKIPPED.has(tag)) return null;
    const parent = flatParent(el);
    if (parent && tag !== 'summary' && tagOf(parent) === 'details' && !hasAttr(parent, 'open')) return null;
    const shadow = get.shadowRoot.call(el);
    if (shadow) this.profile.scan(shadow);
    const bits = this.profile.full(el, tag);
    this.hidesKids = false;
    if (bits & STYLE || ctx.check || ctx.svg || (this.profile.paints && TINTED.has(tag))) {
      ctx = this.derive(ctx, el, tag, ctx.svg ? bits | STYLE : bits);
    }
    if (ctx && this.hidesKids) return ctx.with({ bare: true });
    if (ctx && tag === 'svg') return ctx.with({ svg: true });
    return ctx;
  }

  text(node, frame) {
    if (frame.mute || !frame.el) return;
    this.piece(node, get.data.call(node), frame);
  }

  piece(node, raw, frame) {
    const room = this.em.room();
    if (raw.length > room) {
      this.em.lost += raw.length - room;
      raw = cutText(raw, room);
    }
    const text = frame.pre ? raw : fold(raw);
    if (text === ' ' || !text.trim()) {
      this.em.text(frame.pre ? text : ' ', frame.pre);
      return;
    }
    const shown = this.shown(node, text, frame.ctx, frame.el);
    if (shown) this.em.text(shown, frame.pre);
  }

  // What of a text node can be seen: all, a part, or nothing. With `spoken`, text that only lies
  // out of reach (as text for screen readers does) is given too.
  shown(node, text, ctx, el, spoken = false) {
    const look = ctx.look;
    if (ctx.unseen || look.verdict === 'hidden') return this.hide('hidden_text');
    const place = ctx.place;
    const measured = place.need || ctx.check;
    if (!measured && !look.verdict && !this.checkCovers && !this.view) return text;
    measure.selectNodeContents(node);
    const rect = measure.getBoundingClientRect();
    if (measured && (!reachable(rect, place) || !legible(rect, text))) {
      if (spoken) return rect.width || rect.height ? text : '';
      this.em.speak?.(text, rect);
      return this.hide('hidden_text');
    }
    if (look.verdict === 'low' && !this.covers.grounds(el, rect, look)) return this.hide('hidden_text');
    if (this.checkCovers && this.covers.hides(el, rect, place)) return this.hide('covered_text');
    if (this.view && !inView(rect)) return '';
    return place.need ? shownPart(node, rect, place, text) : text;
  }

  hide(flag) {
    this.flags[flag]++;
    return '';
  }

  // Whether the box of a control or picture can be seen.
  seen(el, ctx, least, bits = -1) {
    if (!ctx || ctx.unseen || ctx.look.gone || ctx.look.alpha < MIN_ALPHA || ctx.place.gone) return false;
    if (!(bits & (SIZED | STYLE)) && !this.view && !ctx.place.need) return true;
    const rect = rectOf(el);
    if (rect.width < least || rect.height < least) return false;
    if (this.view && !inView(rect)) return false;
    return !ctx.place.need || reachable(rect, ctx.place);
  }

  // Visible text of any element, gathered outside the main walk (labels, references).
  visibleText(el, skip, spoken = false) {
    let text = '';
    const visit = (at, depth) => {
      const ctx = this.ctxOf(at);
      if (!ctx || ctx.bare || depth > 60 || text.length > 2_000) return;
      for (const child of kidsOf(at)) {
        if (get.nodeType.call(child) === 3) {
          const part = fold(get.data.call(child).slice(0, 2_000));
          text += part.trim() ? this.shown(child, part, ctx, at, spoken) : part;
        } else if (isElement(child) && child !== skip && !isField(tagOf(child)) && tagOf(child) !== 'button') {
          if (BLOCKS.has(tagOf(child)) || tagOf(child) === 'br') text += ' ';
          visit(child, depth + 1);
        }
      }
    };
    visit(el, 0);
    return foldTrim(text);
  }
}

const inView = (rect) =>
  rect.bottom > 0 && rect.right > 0 && rect.top < window.innerHeight && rect.left < window.innerWidth;
