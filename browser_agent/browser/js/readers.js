// Emitters of content without refs: readable text, and HTML that holds only what is visible.
class Reader {
  constructor(limit, top) {
    this.limit = limit;
    this.top = top; // what was asked for: the element, or nothing for the page
    this.out = [];
    this.buf = '';
    this.cont = false;
    this.size = 0;
    this.lost = 0;
    this.frames = [];
    this.full = false;
  }

  room() {
    return Math.max(2_000, this.limit - this.size + 1_000);
  }

  emit(text) {
    this.size += text.length + 1;
    if (this.full || this.size > this.limit + 200_000) {
      this.full = true;
      this.lost += text.length + 1;
    } else this.out.push(text);
  }

  space() {
    if (this.buf !== '' && !this.buf.endsWith(' ')) this.buf += ' ';
  }

  // Links and buttons side by side are told apart by more than a space.
  apart() {
    if (this.closed !== '' && this.buf.length === this.closedAt) this.space();
  }

  ended() {
    this.closed = 'act';
    this.closedAt = this.buf.length;
  }

  closed = '';
  closedAt = -1;

  addText(text) {
    if (this.buf === '' || /[ \n]$/.test(this.buf)) text = text.replace(/^ +/, '');
    this.buf += text;
  }

  frame(el, ctx, walk) {
    this.line();
    const visible = walk.seen(el, ctx, 3);
    this.frames.push({ el, visible });
    if (visible) this.emit(`\u0001${refFor(el)}`);
    return LEAF;
  }

  button(el, ctx, walk) {
    if (!isButtonInput(el, 'input') || !walk.seen(el, ctx, 3)) return LEAF;
    const name = buttonName(el, new Set());
    if (!name || /^(?:alt|title|label)$/.test(name.from) || ctx.look.verdict) return LEAF;
    this.space();
    this.text(name.name, false);
    this.space();
    return LEAF;
  }

  // A field that was itself asked for is read by what it holds; a secret by its mask.
  holds(el, tag) {
    return el === this.top && (tag === 'textarea' || (tag === 'input' && EDITABLE.test(inputType(el))));
  }

  held(el, tag, ctx, walk) {
    if (!walk.seen(el, ctx, 3) || ctx.look.verdict) return LEAF;
    const value = valueOf(el, tag) || '';
    if (value === MASK) walk.flags.masked_values++;
    if (value.length > this.limit) this.lost += value.length - this.limit;
    this.text(cutText(value, this.limit), true);
    this.line();
    return LEAF;
  }

  selected(el, ctx, walk) {
    if (walk.seen(el, ctx, 3)) this.text(fold(fieldText(el, 'select')), false);
    return LEAF;
  }
}

class TextReader extends Reader {
  text(text, pre) {
    if (!pre) return this.addText(text);
    const parts = text.replace(MARKS, '\ufffd').split(/\r\n?|\n/);
    for (let i = 0; i < parts.length; i++) {
      if (i) this.line();
      this.buf += parts[i];
    }
  }

  line() {
    const text = this.buf.trimEnd();
    this.buf = '';
    if (text.trim()) this.emit(this.bullet + text);
    if (text.trim()) this.bullet = '';
  }

  bullet = '';
  cells = null;

  open(el, tag, bits, ctx, walk) {
    if (tag === 'br') return this.line(), LEAF;
    if (this.holds(el, tag)) return this.held(el, tag, ctx, walk);
    if (tag === 'a' || tag === 'button') return this.apart(), { close: 'act' };
    if (tag === 'iframe' || tag === 'frame') return this.frame(el, ctx, walk);
    if (tag === 'select') return this.selected(el, ctx, walk);
    if (tag === 'input') return this.button(el, ctx, walk);
    if (tag === 'img') return this.broken(el, ctx, walk);
    if (tag === 'li') {
      this.bullet = '- ';
      return { close: 'li' };
    }
    if (tag === 'tr') {
      const token = { close: 'tr', outer: this.cells, from: this.out.length };
      this.cells = [];
      return token;
    }
    if ((tag === 'td' || tag === 'th') && this.cells) return { close: 'cell', from: this.out.length };
    return null;
  }

  // The words that stand in for an image that did not load are painted.
  broken(el, ctx, walk) {
    if (el.complete && el.naturalWidth === 0 && ctx.look.verdict === '' && walk.seen(el, ctx, 3)) {
      this.space();
      this.addText(foldTrim(attr(el, 'alt') || ''));
    }
    return LEAF;
  }

  close(token) {
    if (token.close === 'act') return this.ended();
    this.line();
    if (token.close === 'li') this.bullet = '';
    else if (token.close === 'cell') this.cells?.push(this.out.slice(token.from).join(' '));
    else if (token.close === 'tr') this.closeRow(token);
  }

  closeRow(token) {
    const filled = this.cells.some((cell) => cell);
    const simple = this.cells.length > 1 && this.out.length - token.from <= this.cells.length;
    if (simple && filled && !this.full) {
      this.out.length = token.from;
      this.out.push(this.cells.join(' | '));
    }
    this.cells = token.outer;
  }

  finish() {
    return this.out;
  }
}

const HTML_TAGS = new Set(
  ('h1 h2 h3 h4 h5 h6 p ul ol li table thead tbody tfoot tr td th caption blockquote pre code strong b em i ' +
    'del s sub sup dl dt dd hr figure figcaption').split(' '),
);
const escapeHtml = (text) =>
  /[&<>]/.test(text) ? text.replace(/[&<>]/g, (c) => (c === '&' ? '&amp;' : c === '<' ? '&lt;' : '&gt;')) : text;
const quoteHtml = (text) => escapeHtml(text).replaceAll('"', '&quot;');

// Plain elements that group: paragraphs and definition lists.
const GROUPS = new Set(['p', 'dl', 'dt', 'dd']);

class HtmlReader extends Reader {
  opens = GROUPS;

  text(text, pre) {
    if (pre) this.buf += escapeHtml(text.replace(MARKS, '\ufffd'));
    else this.buf += escapeHtml(text);
  }

  line() {
    if (this.buf.trim()) this.emit(this.buf);
    this.buf = '';
  }

  open(el, tag, bits, ctx, walk) {
    if (tag === 'iframe' || tag === 'frame') return this.frame(el, ctx, walk);
    if (this.holds(el, tag)) return this.held(el, tag, ctx, walk);
    if (tag === 'select') return this.selected(el, ctx, walk);
    if (tag === 'input') return this.button(el, ctx, walk);
    if (tag === 'br') return (this.buf += '<br>'), LEAF;
    if (tag === 'img') return this.image(el, ctx, walk);
    if (tag === 'a' || tag === 'button') this.apart();
    if (tag === 'a' && hasAttr(el, 'href')) return this.link(el);
    if (tag === 'button') return { close: 'act' };
    if (!HTML_TAGS.has(tag)) return BLOCKS.has(tag) ? this.wrap('div', '') : null;
    const span = tag === 'td' || tag === 'th' ? spanOf(el) : '';
    return this.wrap(tag, span);
  }

  wrap(tag, attributes) {
    this.buf += `<${tag}${attributes}>`;
    return { close: 'tag', tag };
  }

  link(el) {
    const href = el instanceof HTMLAnchorElement ? get.href.call(el) : attr(el, 'href');
    if (!/^(?:https?|mailto|tel):/i.test(href)) return null;
    return this.wrap('a', ` href="${quoteHtml(href.slice(0, 2_000))}"`);
  }

  image(el, ctx, walk) {
    const alt = foldTrim(attr(el, 'alt') || '');
    if (!alt || !walk.seen(el, ctx, 3)) return LEAF;
    const broken = el.complete && el.naturalWidth === 0;
    const source = el.currentSrc || el.src || '';
    if (broken) this.buf += ` ${escapeHtml(alt)} `;
    else if (/^https?:/.test(source)) {
      this.buf += `<img alt="${quoteHtml(shorten(alt, 300))}" src="${quoteHtml(source.slice(0, 500))}">`;
    }
    return LEAF;
  }

  close(token) {
    if (token.tag) this.buf += `</${token.tag}>`;
    if (token.tag === 'a' || token.close === 'act') this.ended();
  }

  finish() {
    this.line();
    return this.out;
  }
}

const spanOf = (el) => {
  const [columns, rows] = [+attr(el, 'colspan') || 1, +attr(el, 'rowspan') || 1];
  const col = columns > 1 && columns <= 100 ? ` colspan="${columns}"` : '';
  return rows > 1 && rows <= 100 ? `${col} rowspan="${rows}"` : col;
};
