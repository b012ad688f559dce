// Differences between two lists of lines, and where in the page a line stands.
// Lines that occur once on both sides anchor the comparison (their longest run in order); what is
// left between two anchors is matched by count. Linear but for the anchors' n log n.
const diffLines = (old, now) => {
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let [endOld, endNow] = [old.length, now.length];
  while (endOld > start && endNow > start && old[endOld - 1] === now[endNow - 1]) {
    endOld--;
    endNow--;
  }
  const removed = [];
  const added = [];
  let [i, j] = [start, start];
  for (const [atOld, atNow] of [...anchorsOf(old, now, start, endOld, endNow), [endOld, endNow]]) {
    compareGap(old, now, [i, atOld], [j, atNow], removed, added);
    [i, j] = [atOld + 1, atNow + 1];
  }
  return { removed, added };
};

const compareGap = (old, now, [i, iEnd], [j, jEnd], removed, added) => {
  const counts = new Map();
  for (let k = i; k < iEnd; k++) counts.set(old[k], (counts.get(old[k]) || 0) + 1);
  for (let k = j; k < jEnd; k++) {
    const left = counts.get(now[k]) || 0;
    if (left) counts.set(now[k], left - 1);
    else added.push(k);
  }
  for (let k = iEnd - 1; k >= i; k--) {
    const left = counts.get(old[k]) || 0;
    if (!left) continue;
    counts.set(old[k], left - 1);
    removed.push(k);
  }
};

const onceIn = (lines, from, to) => {
  const at = new Map();
  for (let k = from; k < to; k++) at.set(lines[k], at.has(lines[k]) ? -1 : k);
  return at;
};

// The longest run, rising on both sides, of lines that occur once in each.
const anchorsOf = (old, now, start, endOld, endNow) => {
  if (start === endOld || start === endNow) return [];
  const inOld = onceIn(old, start, endOld);
  const inNow = onceIn(now, start, endNow);
  const pairs = [];
  for (const [line, k] of inNow) {
    const other = inOld.get(line);
    if (k >= 0 && other !== undefined && other >= 0) pairs.push([other, k]);
  }
  pairs.sort((a, b) => a[1] - b[1]);
  const tails = [];
  const before = new Array(pairs.length).fill(-1);
  pairs.forEach(([value], k) => {
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[tails[middle]][0] < value) low = middle + 1;
      else high = middle;
    }
    if (low) before[k] = tails[low - 1];
    tails[low] = k;
  });
  const run = [];
  for (let k = tails.length ? tails[tails.length - 1] : -1; k >= 0; k = before[k]) run.push(pairs[k]);
  return run.reverse();
};

const indentOf = (line) => line.length - line.trimStart().length;
const PLACE_LINE = /^(?:#|dialog|alertdialog|navigation|banner|main|contentinfo|complementary|form|region|search|table|group|tabpanel|article)/;

// The heading or part that a line stands under.
const placeOf = (lines, at) => {
  let indent = indentOf(lines[at]);
  for (let k = at - 1; k >= 0 && k > at - 400; k--) {
    const own = indentOf(lines[k]);
    const text = lines[k].trimStart();
    if (own < indent && PLACE_LINE.test(text)) return shorten(text, 60);
    if (own <= indent && text.startsWith('#')) return shorten(text, 60);
    if (own < indent) indent = own;
  }
  return '';
};

const listed = (lines, at, limit) => {
  const out = [];
  let size = 0;
  let cut = 0;
  for (const k of at) {
    const line = shorten(lines[k].trim(), 400);
    size += line.length;
    if (size > limit || out.length >= 200) cut++;
    else out.push([placeOf(lines, k), line]);
  }
  return { out, cut };
};
