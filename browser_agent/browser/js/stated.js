// What a page states of itself without showing it: its dates, in meta tags, time elements, JSON-LD.
const DATE_NAMES =
  /^(?:article:(?:published|modified)_time|og:(?:updated_time|article:(?:published|modified)_time)|date|pubdate|publish[-_.]?date|last-modified|date(?:published|modified|created)|(?:dc|dcterms)\.(?:date|issued|created|modified)(?:\.[a-z]+)?|citation_(?:publication_)?date|parsely-pub-date|sailthru\.date)$/;
const STATED = 24;
const LINKED_CHARS = 300_000;

// Pairs of source and value, bounded; Python judges them.
const statedDates = () => {
  const found = [];
  const add = (name, value) => {
    if (typeof value === 'string' && value && found.length < STATED) found.push([name, value.slice(0, 60)]);
  };
  for (const el of firstOf('script')) addLinked(el, add);
  for (const el of firstOf('time')) {
    const name = (attr(el, 'itemprop') || (hasAttr(el, 'pubdate') ? 'datepublished' : '')).toLowerCase();
    if (DATE_NAMES.test(name)) add(name, attr(el, 'datetime') || get.textContent.call(el));
  }
  for (const el of firstOf('meta')) {
    const name = (attr(el, 'property') || attr(el, 'name') || attr(el, 'itemprop') || '').toLowerCase();
    if (DATE_NAMES.test(name)) add(name, attr(el, 'content'));
  }
  return found;
};

const firstOf = (tag) => {
  const all = byTag(tag);
  const found = [];
  for (let i = 0; i < all.length && i < 200; i++) found.push(all[i]);
  return found;
};

const listOf = (value) => (Array.isArray(value) ? value.slice(0, 50) : []);

const addLinked = (el, add) => {
  if ((attr(el, 'type') || '').trim().toLowerCase() !== 'application/ld+json') return;
  const text = get.textContent.call(el);
  if (text.length > LINKED_CHARS || !/"date(?:Published|Modified)"/.test(text)) return;
  let value = null;
  try {
    value = JSON.parse(text);
  } catch {
    return;
  }
  const graph = value && typeof value === 'object' ? value['@graph'] : null;
  const things = [value, ...listOf(value), ...listOf(graph)];
  for (const thing of things) {
    if (!thing || typeof thing !== 'object') continue;
    add('ld:datepublished', thing.datePublished);
    add('ld:datemodified', thing.dateModified);
  }
};
