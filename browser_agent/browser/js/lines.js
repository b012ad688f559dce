// The snapshot emitter: turns visible content into lines (grammar in docs/snapshot.md).
// Kinds of lines: text of the page, a structure line, a line with refs, a heading, a table row.
const TEXT = 0;
const STRUCT = 1;
const REF = 2;
const HEAD = 3;
const ROW = 4;

const FOLDED = new Set(
  ('generic none presentation paragraph rowgroup term definition strong emphasis code time deletion ' +
    'insertion figure caption document subscript superscript mark note separator math listitem img ' +
    'cell gridcell columnheader rowheader row').split(' '),
);
const TABLES = new Set(['table', 'grid', 'treegrid']);
const CELLS = new Set(['cell', 'gridcell', 'columnheader', 'rowheader']);

// Page text that stands without quotes must not look like a quoted text or a ref.
const BARE_TROUBLE = /^(?:"|\\|e\d)/;
const bare = (text) => (BARE_TROUBLE.test(text) ? `"${text}"` : text);
const guard = (text) => (text.includes('[') || text.includes('ref=') ? text.replace(REFLIKE, '$1\\$2') : text);
const REFLIKE = /(\[(?:ref=)?|\bref=)(e\d)/g;
const escapeQuotes = (text) => (text.includes('"') ? text.replaceAll('"', '\\"') : text);

const SEPARATOR = /^[\s|·•›»→⟩>/\\,.:;()[\]–—-]+$/; // between links and the like: no content

class Lines {
  constructor(mode, limit) {
    this.mode = mode;
    this.only = mode === 'interactive'; // only lines with refs leave, text is kept for names
    this.limit = limit;
    this.texts = [];
    this.depths = [];
    this.kinds = [];
    this.buf = '';
    this.depth = 0;
    this.cont = false;
    this.items = 0; // open items
    this.loose = 0; // those among them that do not look clickable themselves
    this.size = 0;
    this.lost = 0;
    this.refs = 0;
    this.frames = [];
    this.attributes = {};
    this.attributeSize = 0;
    this.done = new Set();
    this.labels = null;
    this.row = null;
    this.mainEnded = false;
    this.roles = null; // set by find: ref -> [role, name]
    this.item = null; // the item that is open
    this.full = false;
  }

  room() {
    return Math.max(2_000, this.limit - this.size + 1_000);
  }

  text(text, pre) {
    if (pre) return this.preText(text);
    const buf = this.buf;
    if (buf === '') {
      if (text !== ' ') this.buf = text.charCodeAt(0) === 32 ? text.slice(1) : text;
    } else if (buf.charCodeAt(buf.length - 1) === 32 && text.charCodeAt(0) === 32) {
      this.buf = buf + text.slice(1);
    } else this.buf = buf + text;
  }

  preText(text) {
    const parts = text.replace(MARKS, '\ufffd').split(/\r\n?|\n/);
    for (let i = 0; i < parts.length; i++) {
      if (i) {
        this.line();
        this.cont = false;
      }
      this.buf += parts[i].replace(/\t/g, '  ');
    }
  }

  space() {
    const buf = this.buf;
    if (buf !== '' && buf.charCodeAt(buf.length - 1) !== 32) this.buf = buf + ' ';
  }

  // A block boundary: what was gathered becomes a line of text.
  line() {
    if (this.buf === '') return;
    const text = this.buf.charCodeAt(this.buf.length - 1) === 32 ? this.buf.trimEnd() : this.buf;
    this.buf = '';
    if (text.trim() === '') return;
    if (this.items === 0) {
      if (this.only) return;
      if (text.length <= 4 && SEPARATOR.test(text)) return;
    }
    this.push(text, TEXT);
    this.cont = true;
  }

  push(text, kind) {
    if (this.mainEnded && kind !== STRUCT) {
      this.mainEnded = false;
      this.add('/main', STRUCT, this.depth);
    }
    this.add(text, kind, this.cont && kind !== HEAD ? this.depth + 1 : this.depth);
  }

  add(text, kind, depth) {
    this.size += text.length + depth + 3;
    if (this.full || (this.size > this.limit * 2 && this.size > this.limit + 100_000)) {
      this.full = true;
      this.lost += text.length + depth + 3;
      return;
    }
    this.texts.push(text);
    this.kinds.push(kind);
    this.depths.push(depth);
  }

  drop(from) {
    for (let i = from; i < this.texts.length; i++) this.size -= this.texts[i].length + this.depths[i] + 3;
    this.texts.length = from;
    this.kinds.length = from;
    this.depths.length = from;
  }

  // What an element means for the lines; most are transparent.
  open(el, tag, bits, ctx, walk, frame) {
    if (tag === 'br') return this.space(), LEAF;
    if (tag === 'pre') return null;
    const role = roleOf(el, tag, bits);
    if (isField(tag)) return openField(this, el, tag, role, bits, ctx, walk);
    if (tag === 'label') return openLabel(this, el, walk);
    if (tag === 'iframe' || tag === 'frame') return openFrame(this, el, ctx, walk);
    if (tag === 'img' || tag === 'canvas' || tag === 'video' || tag === 'svg') {
      const picture = openPicture(this, el, tag, role, bits, ctx, walk, frame);
      if (picture !== undefined) return picture;
    }
    if (tag === 'progress' || tag === 'meter') return openMeter(this, el, tag, role, ctx, walk);
    const act = actionOf(this, el, tag, role, bits, ctx, frame);
    if (act) return this.openItem(el, tag, bits, act, ctx);
    if (tag === 'legend' || tag === 'caption') return this.openCaption(tag);
    if (this.only && role !== 'dialog' && role !== 'alertdialog') return null;
    return this.openPart(el, tag, role, bits, ctx, walk);
  }

  openPart(el, tag, role, bits, ctx, walk) {
    if (role === 'heading') return this.openHeading(el, tag);
    if (this.mode === 'outline' && CELLS.has(role)) return null;
    if (role === 'row' || tag === 'tr') return this.openRow();
    if (CELLS.has(role)) return this.openCell(role);
    if (tag === 'li' || role === 'listitem') return { close: 'item-end', at: this.texts.length };
    if (role === 'list') return this.openList();
    const hidden = bits & MARKED && attr(el, 'aria-hidden') === 'true';
    const inert = bits & MARKED && hasAttr(el, 'inert');
    if ((hidden || inert) && this.items === 0) return this.openBlock(hidden ? 'aria-hidden' : 'inert', '');
    if (FOLDED.has(role) || this.items > 0) return null;
    if (TABLES.has(role)) return this.openBlock(role, this.partName(el, tag, role, walk));
    if (role === 'main') return this.openMain();
    return this.openBlock(role, this.partName(el, tag, role, walk));
  }

  // The name of a region is an attribute, or text that stands elsewhere too.
  partName(el, tag, role, walk) {
    const by = idsOf(el, 'aria-labelledby');
    if (by.length) {
      const text = walk.visibleText(by[0], null);
      return text ? ` "${guard(escapeQuotes(shorten(text, 80)))}"` : '';
    }
    const label = foldTrim(attr(el, 'aria-label') || '');
    return label ? ` ~"${guard(escapeQuotes(shorten(label, 80)))}"` : '';
  }

  openBlock(word, name) {
    this.line();
    this.mainEnded = false;
    this.push(word + name, STRUCT);
    this.depth++;
    const token = {
      close: 'block', at: this.texts.length, cont: this.cont, word, named: name !== '', full: this.full,
    };
    this.cont = false;
    return token;
  }

  openMain() {
    this.line();
    this.mainEnded = false;
    this.push('main', STRUCT);
    return { close: 'main', at: this.texts.length, full: this.full };
  }

  openList() {
    const before = this.texts.length - 1;
    if (this.items > 0) return null;
    const inside = before >= 0 && this.kinds[before] === STRUCT && this.depths[before] === this.depth - 1;
    if (inside && this.buf === '' && !this.cont) return null;
    return this.openBlock('list', '');
  }

  openHeading(el, tag) {
    this.line();
    return { close: 'heading', at: this.texts.length, level: levelOf(el, tag) };
  }

  openCaption(tag) {
    this.line();
    return { close: 'caption', at: this.texts.length, tag };
  }

  openRow() {
    if (this.items > 0 && this.row) return null;
    this.line();
    const token = { close: 'row', at: this.texts.length, cells: [], heads: 0, outer: this.row };
    this.row = token;
    return token;
  }

  openCell(role) {
    if (!this.row) return null;
    this.line();
    if (role === 'columnheader') this.row.heads++;
    const cell = { close: 'cell', from: this.texts.length, to: -1 };
    this.row.cells.push(cell);
    return cell;
  }

  openItem(el, tag, bits, act, ctx) {
    this.line();
    const id = refFor(el);
    this.done.add(el);
    this.push('', REF);
    const token = {
      close: 'act', at: this.texts.length, el, tag, bits, act, id, ctx, cont: this.cont, picture: false,
      depth: this.depth, outer: this.item, full: this.full, frees: true, spoken: '', pictured: '',
    };
    this.depth += this.cont ? 2 : 1;
    this.cont = false;
    this.items++;
    if (act.loose) this.loose++;
    this.item = token;
    return token;
  }

  // Text for screen readers inside an item: it may name an icon.
  speak(text, rect) {
    const item = this.item;
    if (item && item.spoken.length < 120 && (rect.width || rect.height)) item.spoken += text;
  }

  close(token, walk) {
    CLOSERS[token.close](this, token, walk);
  }

  // Join the lines from `at` into one text, when all of them are plain text.
  joined(at) {
    let text = '';
    for (let i = at; i < this.texts.length; i++) {
      if (this.kinds[i] === REF || this.kinds[i] === STRUCT) return null;
      text += (text ? ' ' : '') + this.texts[i];
    }
    return text;
  }

  finish() {
    const { texts, kinds, depths } = this;
    const out = [];
    for (let i = 0; i < texts.length; i++) {
      const text = kinds[i] === TEXT ? `"${guard(texts[i])}"` : texts[i];
      out.push(INDENTS[Math.min(depths[i], 24)] + text);
    }
    return out;
  }
}

const INDENTS = Array.from({ length: 25 }, (_, i) => ' '.repeat(i));
