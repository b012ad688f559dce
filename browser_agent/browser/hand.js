// The hand: what actions need to know of one element, and the few things that only script can do
// (focus, scroll, set a date). Runs in the isolated world as a selector engine behind `ba=e12`,
// so page script sees and changes nothing of it. Answers leave as the text of a detached element.
(() => {
  const KEPT = 40;
  const OPTIONS = 300;
  const answers = new Map();
  const listeners = new Map();
  const lists = new Map();

  // Forms let their fields shadow properties, so what is read of any element goes by prototype.
  const getter = (proto, name) => {
    const get = Object.getOwnPropertyDescriptor(proto, name).get;
    return (node) => get.call(node);
  };
  const tagOf = getter(Element.prototype, 'localName');
  const rootOf = (node) => Node.prototype.getRootNode.call(node);
  const attr = (node, name) => Element.prototype.getAttribute.call(node, name);
  const matches = (node, css) => Element.prototype.matches.call(node, css);
  const all = (node, css) => [...Element.prototype.querySelectorAll.call(node, css)];
  const closest = (node, css) => Element.prototype.closest.call(node, css);
  const textOf = getter(Node.prototype, 'textContent');
  const boxOf = (node) => Element.prototype.getBoundingClientRect.call(node);
  const fold = (text) => (text || '').replace(/\s+/g, ' ').trim();
  const cut = (text, length) => [...fold(text)].slice(0, length).join('');
  const remember = (map, key, value) => {
    map.set(key, value);
    if (map.size > KEPT) map.delete(map.keys().next().value);
    return value;
  };
  const parentOf = (node) => {
    if (node.assignedSlot) return node.assignedSlot;
    const parent = getter(Node.prototype, 'parentNode')(node);
    return parent instanceof ShadowRoot ? parent.host : parent;
  };
  const isInside = (node, outer) => {
    for (let at = node; at; at = parentOf(at)) if (at === outer) return true;
    return false;
  };
  const isVisible = (node) =>
    Element.prototype.checkVisibility.call(node, { visibilityProperty: true }) &&
    rectsOf(node).length > 0;

  // ---- what an element is

  const TEXT_TYPES = new Set(['text', 'search', 'email', 'url', 'tel', 'password', 'number', '']);
  const SET_TYPES = new Set(['date', 'time', 'datetime-local', 'month', 'week', 'color', 'range']);
  const typeOf = (node) => (tagOf(node) === 'input' ? getter(HTMLInputElement.prototype, 'type')(node) : '');
  const isHost = (node) => node instanceof HTMLElement && node.isContentEditable;
  const fieldKind = (node) => {
    const tag = tagOf(node);
    if (tag === 'textarea') return 'text';
    if (tag === 'select') return 'select';
    if (tag !== 'input') return isHost(node) ? 'rich' : '';
    const type = typeOf(node);
    if (TEXT_TYPES.has(type)) return 'text';
    if (SET_TYPES.has(type)) return 'set';
    return type;
  };
  const valueOf = (node) => {
    const tag = tagOf(node);
    if (tag === 'input') return getter(HTMLInputElement.prototype, 'value')(node);
    if (tag === 'textarea') return getter(HTMLTextAreaElement.prototype, 'value')(node);
    if (tag === 'select') return chosen(node).map((option) => cut(option.label, 200)).join(', ');
    return isHost(node) ? node.innerText : null;
  };
  const chosen = (select) => [...getter(HTMLSelectElement.prototype, 'selectedOptions')(select)];
  const checkedOf = (node) => {
    const type = typeOf(node);
    if (type === 'checkbox' && getter(HTMLInputElement.prototype, 'indeterminate')(node)) return 'mixed';
    if (type === 'checkbox' || type === 'radio') return String(getter(HTMLInputElement.prototype, 'checked')(node));
    return attr(node, 'aria-checked') ?? attr(node, 'aria-pressed') ?? attr(node, 'aria-selected');
  };
  const isDisabled = (node) => {
    if (matches(node, ':disabled')) return true;
    for (let at = node; at instanceof Element; at = parentOf(at)) {
      if (attr(at, 'aria-disabled') === 'true') return true;
      if (attr(at, 'inert') !== null) return true;
    }
    return false;
  };
  const isReadonly = (node) =>
    matches(node, 'input:read-only, textarea:read-only') && attr(node, 'readonly') !== null ||
    attr(node, 'aria-readonly') === 'true';
  const facts = (node) => ({
    tag: tagOf(node),
    type: typeOf(node),
    role: attr(node, 'role') || '',
    kind: fieldKind(node),
    value: valueOf(node),
    checked: checkedOf(node),
    disabled: isDisabled(node),
    readonly: isReadonly(node),
    multiple: attr(node, 'multiple') !== null,
    maxlength: Number(attr(node, 'maxlength')) || 0,
    min: attr(node, 'min') || '',
    max: attr(node, 'max') || '',
    step: attr(node, 'step') || '',
    secret: typeOf(node) === 'password' || /password|one-time-code|cc-/.test(attr(node, 'autocomplete') || ''),
  });

  // ---- where a click would go

  const rectsOf = (node) => {
    const own = [...Element.prototype.getClientRects.call(node)].filter((r) => r.width > 0 && r.height > 0);
    if (own.length || tagOf(node) === 'area') return own.length ? own : [boxOf(node)];
    const inner = [...getter(Element.prototype, 'children')(node)].flatMap((child) => [
      ...Element.prototype.getClientRects.call(child),
    ]);
    return inner.filter((r) => r.width > 0 && r.height > 0).slice(0, 4);
  };
  const topAt = (x, y) => {
    let node = Document.prototype.elementFromPoint.call(document, x, y);
    while (node && node.shadowRoot) {
      const inner = node.shadowRoot.elementFromPoint(x, y);
      if (!inner || inner === node) break;
      node = inner;
    }
    return node;
  };
  const labelOf = (node) => (tagOf(node) === 'label' ? getter(HTMLLabelElement.prototype, 'control')(node) : null);
  const takes = (target, hit) => {
    if (isInside(hit, target)) return true;
    const control = labelOf(target);
    if (control && isInside(hit, control)) return true;
    const label = closest(hit, 'label');
    return Boolean(label) && labelOf(label) === target;
  };
  const points = (rect) => {
    const left = Math.max(rect.left, 0);
    const top = Math.max(rect.top, 0);
    const width = Math.min(rect.right, innerWidth) - left;
    const height = Math.min(rect.bottom, innerHeight) - top;
    if (width <= 0 || height <= 0) return [];
    const at = (fx, fy) => [left + width * fx, top + height * fy];
    return [at(0.5, 0.5), at(0.25, 0.5), at(0.75, 0.5), at(0.5, 0.2), at(0.5, 0.8)];
  };
  const seek = (node) => {
    let cover = null;
    for (const rect of rectsOf(node).slice(0, 4)) {
      for (const [x, y] of points(rect)) {
        const hit = topAt(x, y);
        if (hit && takes(node, hit)) return { point: [x, y] };
        cover = cover || hit;
      }
    }
    return { point: null, cover };
  };
  const nameOf = (node) =>
    cut(attr(node, 'aria-label') || attr(node, 'title') || attr(node, 'alt') || visibleText(node), 60);
  const visibleText = (node) => (node instanceof HTMLElement ? node.innerText : textOf(node));
  const describe = (node) => {
    const words = [attr(node, 'role') || tagOf(node)];
    if (attr(node, 'id')) words.push(`#${cut(attr(node, 'id'), 40)}`);
    const name = nameOf(node);
    return words.join('') + (name ? ` "${name}"` : '');
  };
  const coverOf = (target, hit) => {
    // The thing that a person would name: the outermost part over the target that does not hold it.
    let best = hit;
    for (let at = hit; at instanceof Element && !isInside(target, at); at = parentOf(at)) {
      best = at;
      if (nameOf(at) || attr(at, 'role')) break;
    }
    return describe(best);
  };
  const MOVES = /^(transform|translate|scale|rotate|left|top|right|bottom|inset|margin|width|height|offset)/;
  const isMoving = (node) => {
    for (let at = node; at instanceof Element; at = parentOf(at)) {
      for (const animation of at.getAnimations()) {
        if (animation.playState !== 'running') continue;
        const frames = animation.effect.getKeyframes();
        if (frames.some((frame) => Object.keys(frame).some((key) => MOVES.test(key)))) return true;
      }
    }
    return false;
  };
  const prepare = (node, args) => {
    const known = facts(node);
    const box = boxOf(node);
    const rect = [box.x, box.y, box.width, box.height];
    if (!isVisible(node)) return { ...known, rect, problem: 'hidden' };
    let found = seek(node);
    if (!found.point && args.scroll) {
      Element.prototype.scrollIntoView.call(node, { block: 'center', inline: 'center', behavior: 'instant' });
      found = seek(node);
    }
    const moved = boxOf(node);
    const result = { ...known, rect: [moved.x, moved.y, moved.width, moved.height], moving: isMoving(node) };
    if (found.point) return { ...result, point: found.point };
    if (!found.cover) return { ...result, problem: 'outside' };
    const through = getComputedStyle(node).pointerEvents === 'none';
    return { ...result, problem: through ? 'through' : 'covered', cover: coverOf(node, found.cover) };
  };

  // ---- focus and values

  const activeIn = (node) => {
    const root = rootOf(node);
    return root.activeElement || document.activeElement;
  };
  const select = (node, mode) => {
    if (mode === 'none') return;
    if (isHost(node)) {
      const selection = getSelection();
      selection.selectAllChildren(node);
      if (mode === 'end') selection.collapseToEnd();
      return;
    }
    if (mode === 'all') {
      const proto = tagOf(node) === 'textarea' ? HTMLTextAreaElement : HTMLInputElement;
      proto.prototype.select.call(node);
      return;
    }
    try {
      const length = valueOf(node).length;
      node.setSelectionRange(length, length);
    } catch { /* number and e-mail fields have no caret that script may set */ }
  };
  const focus = (node, args) => {
    const before = valueOf(node);
    HTMLElement.prototype.focus.call(node);
    const active = activeIn(node);
    const focused = Boolean(active) && (active === node || isInside(active, node));
    if (focused && fieldKind(node)) select(node, args.select || 'none');
    return { focused, before, value: valueOf(node), tag: tagOf(node) };
  };
  const assign = (node, args) => {
    const before = valueOf(node);
    HTMLElement.prototype.focus.call(node);
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(node, args.value);
    const held = valueOf(node);
    if (held.toLowerCase() !== args.value.toLowerCase()) {
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(node, before);
      return { malformed: true, before, value: valueOf(node), held };
    }
    node.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    node.dispatchEvent(new Event('change', { bubbles: true }));
    return { malformed: false, before, value: valueOf(node) };
  };

  // ---- options

  const CHOICE = '[role=option],[role=menuitem],[role=menuitemradio],[role=menuitemcheckbox],[role=treeitem]';
  const LIST = '[role=listbox],[role=menu],[role=tree],[role=grid]';
  const named = (node, name) =>
    (attr(node, name) || '').split(/\s+/).filter(Boolean).map((id) => rootOf(node).getElementById?.(id)).filter(Boolean);
  const listOf = (node, anywhere) => {
    if (matches(node, LIST)) return node;
    const inner = all(node, LIST)[0];
    const near = [...named(node, 'aria-controls'), ...named(node, 'aria-owns'), ...(inner ? [inner] : [])];
    const field = all(node, '[aria-controls],[aria-owns]')[0];
    if (field) near.push(...named(field, 'aria-controls'), ...named(field, 'aria-owns'));
    const found = near.find((list) => isVisible(list)) || near[0] || closest(node, LIST);
    if (found || !anywhere) return found || null;
    return [...document.querySelectorAll(LIST)].find(isVisible) || null;
  };
  const choices = (node, args) => {
    if (tagOf(node) === 'select') {
      const options = [...getter(HTMLSelectElement.prototype, 'options')(node)];
      return {
        kind: 'native',
        multiple: getter(HTMLSelectElement.prototype, 'multiple')(node),
        total: options.length,
        options: options.slice(0, OPTIONS).map((option) => ({
          label: cut(option.label, 200),
          value: option.value.slice(0, 200),
          selected: option.selected,
          disabled: matches(option, ':disabled'),
        })),
      };
    }
    const list = listOf(node, args.anywhere);
    const options = list ? all(list, CHOICE).filter(isVisible) : [];
    remember(lists, args.nonce, options);
    return {
      kind: 'aria',
      multiple: Boolean(list) && attr(list, 'aria-multiselectable') === 'true',
      total: options.length,
      options: options.slice(0, OPTIONS).map((option) => ({
        label: cut(attr(option, 'aria-label') || visibleText(option), 200),
        value: (attr(option, 'data-value') || attr(option, 'value') || '').slice(0, 200),
        selected: ['aria-selected', 'aria-checked'].some((name) => attr(option, name) === 'true'),
        disabled: isDisabled(option),
      })),
    };
  };

  // ---- other elements that belong to one

  const FIELDS = 'input:not([type=hidden]),textarea,select,[contenteditable=""],[contenteditable=true],[role=combobox],[role=listbox],[role=textbox]';
  const goTo = (node, args) => {
    if (args.to === 'option') return (lists.get(args.list) || [])[args.index] || null;
    if (args.to === 'owner') return tagOf(node) === 'option' ? closest(node, 'select') : node;
    if (args.to === 'label') return labelsOf(node).find(isVisible) || null;
    if (args.to === 'file') return fileOf(node);
    const control = labelOf(node);
    if (control) return control;
    const inner = all(node, args.css || FIELDS);
    return inner.length === 1 ? inner[0] : null;
  };
  const labelsOf = (node) => {
    const labels = node.labels ? [...node.labels] : [];
    const wrapper = closest(node, 'label');
    return wrapper ? [...labels, wrapper] : labels;
  };
  const fileOf = (node) => {
    if (typeOf(node) === 'file') return node;
    const control = labelOf(node);
    if (control && typeOf(control) === 'file') return control;
    const inner = all(node, 'input[type=file]');
    return inner.length === 1 ? inner[0] : null;
  };
  const formOf = (node) => {
    const form = node.form || closest(node, 'form');
    if (!(form instanceof HTMLFormElement)) return { form: null };
    const fields = all(form, 'input,select,textarea');
    return {
      form: {
        action: cut(getter(HTMLFormElement.prototype, 'action')(form), 2000),
        method: getter(HTMLFormElement.prototype, 'method')(form),
        name: nameOf(form) ? cut(attr(form, 'aria-label') || attr(form, 'name') || attr(form, 'id') || '', 80) : '',
        has_password: fields.some((field) => typeOf(field) === 'password'),
        fields: fields.map((field) => cut(attr(field, 'name') || attr(field, 'id') || '', 40)).filter(Boolean).slice(0, 20),
      },
    };
  };

  // ---- scrolling

  const canScroll = (node, vertical) => {
    const style = getComputedStyle(node);
    const flow = vertical ? style.overflowY : style.overflowX;
    const more = vertical ? node.scrollHeight > node.clientHeight + 1 : node.scrollWidth > node.clientWidth + 1;
    return more && (flow === 'auto' || flow === 'scroll' || flow === 'overlay');
  };
  const pageScroller = (vertical) => {
    const page = document.scrollingElement || document.documentElement;
    const more = vertical ? page.scrollHeight > innerHeight + 1 : page.scrollWidth > innerWidth + 1;
    if (more && getComputedStyle(page).overflowY !== 'hidden') return page;
    const boxes = [...document.querySelectorAll('body *')].filter((node) => canScroll(node, vertical));
    const area = (node) => node.clientWidth * node.clientHeight;
    return boxes.sort((a, b) => area(b) - area(a))[0] || page;
  };
  const scrollerOf = (node, vertical) => {
    if (!(node instanceof Element)) return pageScroller(vertical);
    for (let at = node; at instanceof Element; at = parentOf(at)) if (canScroll(at, vertical)) return at;
    return pageScroller(vertical);
  };
  const scroll = (node, args) => {
    const vertical = args.direction !== 'left' && args.direction !== 'right';
    const box = scrollerOf(node, vertical);
    const before = [box.scrollLeft, box.scrollTop];
    const page = vertical ? box.clientHeight : box.clientWidth;
    const step = (args.amount ?? Math.max(40, Math.round(page * 0.85))) * (args.direction === 'up' || args.direction === 'left' ? -1 : 1);
    if (args.edge) box.scrollTop = args.edge === 'top' ? 0 : box.scrollHeight;
    else box.scrollBy({ left: vertical ? 0 : step, top: vertical ? step : 0, behavior: 'instant' });
    const after = [box.scrollLeft, box.scrollTop];
    const room = vertical ? box.scrollHeight - box.clientHeight : box.scrollWidth - box.clientWidth;
    return { moved: before[0] !== after[0] || before[1] !== after[1], position: after, room, height: box.scrollHeight };
  };
  const reveal = (node) => {
    const before = boxOf(node);
    Element.prototype.scrollIntoView.call(node, { block: 'center', inline: 'nearest', behavior: 'instant' });
    const after = boxOf(node);
    const seen = after.bottom > 0 && after.right > 0 && after.top < innerHeight && after.left < innerWidth;
    return { moved: before.y !== after.y || before.x !== after.x, seen, scrolls: canScroll(node, true) };
  };
  // What holds the words may hold them in a part of it that is hidden.
  const shows = (node, text) => fold(visibleText(node)).toLowerCase().includes(text);
  const holds = (node, text) => fold(textOf(node)).toLowerCase().includes(text);
  const deepest = (node, text, budget) => {
    // The innermost visible element whose text holds the words, in document order.
    const inside = [...getter(Element.prototype, 'children')(node), ...(node.shadowRoot ? node.shadowRoot.children : [])];
    for (const child of inside) {
      if (budget.left-- < 0) return null;
      if (!child.shadowRoot && !child.firstElementChild && !holds(child, text)) continue;
      if (!holds(child, text) && !all(child, '*').some((one) => one.shadowRoot)) continue;
      const found = deepest(child, text, budget);
      if (found) return found;
    }
    const skipped = ['script', 'style', 'noscript', 'template', 'head'].includes(tagOf(node));
    return !skipped && holds(node, text) && isVisible(node) && shows(node, text) ? node : null;
  };
  const showText = (node, args) => {
    const start = node instanceof Element ? node : document.body || document.documentElement;
    const found = start ? deepest(start, fold(args.text).toLowerCase(), { left: 50000 }) : null;
    if (!found || (found === start && getter(Element.prototype, 'children')(start).length > 0)) return { found: false };
    return { found: true, ...reveal(found) };
  };

  const hasText = (args) => {
    const start = document.body || document.documentElement;
    return { found: Boolean(start && deepest(start, fold(args.text).toLowerCase(), { left: 100000 })) };
  };

  // ---- keys that go wherever the focus is

  const listen = (args) => {
    const heard = { trusted: 0, kinds: [] };
    const note = (event) => {
      if (!event.isTrusted) return;
      heard.trusted += 1;
      if (heard.kinds.length < 8) heard.kinds.push(event.type);
    };
    for (const kind of args.kinds) addEventListener(kind, note, { capture: true, passive: true });
    remember(listeners, args.key, { heard, end: () => args.kinds.forEach((kind) => removeEventListener(kind, note, true)) });
    const active = document.activeElement;
    return { active: active ? tagOf(active) : '', value: active ? valueOf(active) : null };
  };
  const heard = (args) => {
    const found = listeners.get(args.key);
    if (!found) return { available: false };
    found.end();
    listeners.delete(args.key);
    const active = document.activeElement;
    const secret = active ? facts(active).secret : false;
    return { available: true, ...found.heard, value: active && !secret ? valueOf(active) : null };
  };
  const hitAt = (args) => {
    const node = topAt(args.x, args.y);
    if (!node) return { tag: '', rect: [0, 0, 0, 0], cover: '' };
    const box = boxOf(node);
    return { tag: tagOf(node), rect: [box.x, box.y, box.width, box.height], cover: describe(node) };
  };
  const size = () => {
    const page = document.documentElement;
    const body = document.body || page;
    return {
      width: Math.max(page.clientWidth, 1),
      height: Math.max(page.scrollHeight, body.scrollHeight, innerHeight, 1),
    };
  };
  const files = (node) => ({ names: [...(node.files || [])].map((file) => file.name), multiple: attr(node, 'multiple') !== null });

  const OPERATIONS = {
    prepare, focus, assign, choices, scroll, reveal, files,
    read: (node) => facts(node),
    form: formOf,
    text: showText,
    listen: (_, args) => listen(args),
    heard: (_, args) => heard(args),
    hit: (_, args) => hitAt(args),
    size: () => size(),
    has: (node, args) => hasText(args),
  };
  const decode = (body) => {
    const raw = atob(body.replace(/-/g, '+').replace(/_/g, '/'));
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(raw, (c) => c.charCodeAt(0))));
  };
  const answer = (root, body) => {
    const args = decode(body);
    if (args.op === 'go') return goTo(root, args);
    // An engine is asked more than once for one call: what was done once is answered from memory.
    let text = answers.get(args.nonce);
    if (text === undefined) {
      text = remember(answers, args.nonce, JSON.stringify(OPERATIONS[args.op](root, args)));
    }
    const out = document.createElement('div');
    out.textContent = text;
    return out;
  };
  return {
    query: (root, body) => answer(root, body),
    queryAll: (root, body) => {
      const found = answer(root, body);
      return found ? [found] : [];
    },
  };
})()
