// The selector engine: `ba=<request>` runs a request and gives a detached element that holds the
// answer as text; `ba=r<doc>.<ref>` gives exactly the element of a ref, or nothing.
// Playwright may ask the same selector twice (query, queryAll), so the last answer is kept.
const BASELINES = 6;
const baselines = new Map();
let answered = { request: '', element: null };

const answer = (request) => {
  if (answered.request === request) return answered.element;
  const element = DOC.createElement.call(ownDocument, 'i');
  element.textContent = respond(request).toWellFormed();
  answered = { request, element };
  return element;
};

const respond = (request) => {
  let call = null;
  try {
    call = JSON.parse(decodeURIComponent(request));
    readHere();
    if (mustAsk(call)) return JSON.stringify({ doc: documentId, ask: true });
    return OPS[call.op](call);
  } catch (error) {
    return JSON.stringify({ doc: documentId, failed: String(error && error.stack).slice(0, 600) });
  }
};

const pageHead = (call) => {
  const root = docRoot();
  return {
    doc: documentId,
    title: cutText(foldTrim(get.title.call(ownDocument).slice(0, call.title * 4)), call.title),
    url: location.href.slice(0, 4_000),
    lang: root ? (attr(root, 'lang') || '').slice(0, 35) : '',
    slot: ownSlot(),
    ...(call.stated ? { stated: statedDates() } : {}),
  };
};

// The index of this window among its parent's frames; -1 for the top and inside shadow trees.
const ownSlot = () => {
  const parent = window.parent;
  if (parent === window) return -1;
  for (let i = 0; i < parent.length && i < 1_000; i++) if (parent[i] === window) return i;
  return -1;
};

// Where the frames of this document stand, so that answers of other frames can be put in place.
const frameSlots = (frames) =>
  frames.map(({ el, visible }) => {
    const inner = el.contentWindow;
    let slot = -1;
    for (let i = 0; inner && i < window.length && i < 1_000; i++) if (window[i] === inner) slot = i;
    return { slot, visible, ref: refFor(el) };
  });

const topFor = (call) => {
  if (!call.root) return docRoot();
  const found = elementFor(call.root);
  return found.el;
};

// Whether elements came since the browser was last asked who listens for clicks.
const mustAsk = (call) => {
  if (!call.ask) return false;
  startObserving();
  flushMutations();
  if (heardUntil >= grown) return false;
  heardUntil = grown;
  return true;
};

const observe = (call, emitter) => {
  const top = topFor(call);
  if (!top) return null;
  const walk = new Walk(emitter, { nodes: call.nodes, ms: call.ms, viewport: call.mode === 'viewport' });
  walk.run(top);
  if (!call.root && emitter instanceof Lines && call.mode !== 'viewport') unseenFiles(emitter, walk);
  return walk;
};

// File fields work although they are hidden behind a button.
const unseenFiles = (em, walk) => {
  em.depth = 0;
  em.cont = false;
  for (const root of walk.profile.seen) {
    const list = queryAll(root, 'input[type=file]');
    for (let i = 0; i < list.length && i < 50; i++) {
      const el = list[i];
      if (em.done.has(el) || fn.matches.call(el, ':disabled')) continue;
      em.done.add(el);
      const name = fieldName(em, el, 'input', 'button', walk).unseen || foldTrim(attr(el, 'name') || '');
      const shown = name ? ` ~"${guard(escapeQuotes(shorten(name, 60)))}"` : '';
      em.push(`\u0002${refFor(el)} button${kindWords(el, 'input', 'file')} unseen${shown}`, REF);
    }
  }
};

// Header line, then as many whole lines as the bound admits.
const pack = (call, walk, lines, extra) => {
  const em = walk.em;
  const body = lines.join('\n');
  const kept = bounded(body, call.limit);
  const head = {
    ...pageHead(call), ...extra, flags: walk.flags, closed: walk.closed, elements: walk.elements,
    cut: walk.cut, unseen: walk.cut ? Math.max(1, byTag('*').length - walk.elements) : 0, lost: em.lost + body.length - kept.length, frames: frameSlots(em.frames),
    attributes: em.attributes || {}, size: kept.length,
  };
  return `${JSON.stringify(head)}\n${kept}`;
};

const encoder = new TextEncoder();
const bounded = (text, limit) => {
  if (text.length * 3 <= limit) return text;
  const { read } = encoder.encodeInto(text, new Uint8Array(limit));
  if (read >= text.length) return text;
  const end = text.lastIndexOf('\n', read);
  if (end > 0) return text.slice(0, end);
  return cutText(text, read);
};

const keep = (id, lines) => {
  if (!id) return;
  baselines.delete(id);
  baselines.set(id, lines);
  while (baselines.size > BASELINES) baselines.delete(baselines.keys().next().value);
};

const gone = (call) => JSON.stringify({ ...pageHead(call), missing: true });

const OPS = {
  snap(call) {
    const em = new Lines(call.mode, call.limit);
    const walk = observe(call, em);
    if (!walk) return gone(call);
    const lines = call.mode === 'outline' ? outlineOf(em) : em.finish();
    if (call.mode === 'full' && !call.root) keep(call.keep, lines);
    return pack(call, walk, lines, {});
  },
  text(call) {
    const em = new TextReader(call.limit, call.root ? topFor(call) : null);
    const walk = observe(call, em);
    return walk ? pack(call, walk, em.finish(), {}) : gone(call);
  },
  html(call) {
    const em = new HtmlReader(call.limit, call.root ? topFor(call) : null);
    const walk = observe(call, em);
    return walk ? pack(call, walk, em.finish(), {}) : gone(call);
  },
};

// Headings and parts, each with the number of refs that stand under it.
const outlineOf = (em) => {
  const lines = em.finish();
  const out = [];
  let refs = 0;
  const note = () => {
    if (refs && out.length) out[out.length - 1] += ` (${refs} refs)`;
    refs = 0;
  };
  for (let i = 0; i < lines.length; i++) {
    const text = em.texts[i];
    const part = em.kinds[i] === STRUCT && !/^(?:list|img|aria-hidden|inert|#)/.test(text);
    if (em.kinds[i] !== HEAD && !part && !/^#+ \u0002/.test(text)) {
      if (em.kinds[i] === REF) refs++;
      continue;
    }
    note();
    out.push(lines[i]);
  }
  note();
  return out;
};

const resolveRef = (body) => {
  const found = /^r([a-z0-9.]+)-(\d+)$/.exec(body);
  if (!found || found[1] !== documentId) return null;
  return elementFor(+found[2]).el;
};

const engine = {
  query(root, body) {
    return body.charCodeAt(0) === 114 ? resolveRef(body) : answer(body);
  },
  queryAll(root, body) {
    const found = engine.query(root, body);
    return found ? [found] : [];
  },
};
