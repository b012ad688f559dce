// Refs of this document: an element keeps its number as long as it lives, numbers never return.
const refOfElement = new WeakMap();
const elementOfRef = new Map();
const everSecret = new WeakSet(); // fields that were a password once stay masked
const listening = new WeakSet(); // elements that are known to listen for clicks
// The browser's debugger names the elements that listen for clicks; only this world has the hook.
let heardUntil = -1; // how much the document had grown when that was last asked
globalThis.browserAgentListening = (elements) => {
  for (const el of elements) if (el instanceof Element) listening.add(el);
};
const documentId = Math.random().toString(36).slice(2, 10) + performance.timeOrigin.toString(36);
let lastRef = 0;

const refFor = (el) => {
  let ref = refOfElement.get(el);
  if (!ref) {
    ref = ++lastRef;
    refOfElement.set(el, ref);
    elementOfRef.set(ref, new WeakRef(el));
  }
  return ref;
};

// {el, state}: ok (in the document), stale (was, and is gone), unknown (never given).
const elementFor = (ref) => {
  const held = elementOfRef.get(ref);
  if (!held) return { el: null, state: ref > 0 && ref <= lastRef ? 'stale' : 'unknown' };
  const el = held.deref();
  if (!el) elementOfRef.delete(ref);
  if (!el || !get.isConnected.call(el) || el.ownerDocument !== ownDocument) return { el: null, state: 'stale' };
  return { el, state: 'ok' };
};

const SECRET_HINTS = /\b(?:current-password|new-password|one-time-code|cc-csc)\b/;
const isSecret = (el, tag) => {
  if (everSecret.has(el)) return true;
  const secret =
    (tag === 'input' && inputType(el) === 'password') ||
    SECRET_HINTS.test(attr(el, 'autocomplete') || '') ||
    (getComputedStyle(el).webkitTextSecurity || 'none') !== 'none';
  if (secret) everSecret.add(el);
  return secret;
};

const MASK = '[masked]';
const valueOf = (el, tag) => {
  if (tag === 'select') return fieldText(el, 'select');
  const value = tag === 'textarea'
    ? grab(HTMLTextAreaElement.prototype, 'value').call(el)
    : tag === 'input' ? grabInput.value.call(el) : null;
  if (value === null) return null;
  if (value !== '' && isSecret(el, tag)) return MASK;
  return value;
};

// A link's target, shortened to what differs from the page's own address.
const TRACKING = /^(?:utm_\w+|fbclid|gclid|dclid|msclkid|mc_[ce]id|igshid|yclid|_hsenc|_hsmi)(?:=|$)/;
const PLAIN_PATH = /^\/[\w\-.~%][\w\-.~/%]*(?:\?[\w\-.~%=&+]*)?$/;
let here = null; // location, read once for each request
const readHere = () => {
  const { origin, pathname, search, protocol, href } = location;
  const based = byTag('base').length > 0;
  here = { origin, pathname, search, protocol, href, based, folder: pathname.replace(/[^/]*$/, '') };
};

const shortTarget = (el) => {
  const raw = attr(el, 'href');
  if (raw === null) return '';
  if (!here.based && PLAIN_PATH.test(raw)) {
    const mark = raw.indexOf('?');
    if (mark < 0) {
      if (raw !== here.pathname) return clip80(relative(raw));
    } else {
      const path = raw.slice(0, mark);
      if (path !== here.pathname) return clip80(relative(path + withoutTracking(raw.slice(mark))));
    }
  }
  const full = el instanceof HTMLAnchorElement ? get.href.call(el) : raw;
  return clip80(targetOf(full));
};

const clip80 = (text) => (text.length <= 80 ? text : `${text.slice(0, 79)}…`);
const withoutTracking = (search) => {
  const kept = search.slice(1).split('&').filter((part) => !TRACKING.test(part)).join('&');
  return kept ? `?${kept}` : '';
};

// A path of this origin, relative to the folder of the page where it lies below that.
const relative = (path) => {
  if (!path.startsWith(here.folder)) return path;
  const rest = path.slice(here.folder.length);
  return /^[\w-]/.test(rest) && rest.lastIndexOf(':', 20) < 0 ? rest : path;
};

const targetOf = (full) => {
  let url = null;
  try {
    url = new URL(full, here.href);
  } catch {
    return '';
  }
  if (url.protocol === 'javascript:') return '';
  if (!/^https?:$/.test(url.protocol)) return url.href.replace(/[\s"<>]/g, encodeURIComponent);
  const search = url.search ? withoutTracking(url.search) : '';
  if (url.origin !== here.origin) {
    const scheme = url.protocol === here.protocol ? '' : url.protocol;
    return `${scheme}//${url.host}${url.pathname === '/' ? '' : url.pathname}${search}${url.hash}`;
  }
  if (url.pathname !== here.pathname) return relative(url.pathname + search + url.hash);
  if (url.search !== here.search) return (search || url.pathname) + url.hash;
  return url.hash || url.pathname;
};
