"""What every page of a recorded or replayed session is given: a clock and a source of chance.

Owns one script. The clock of each document begins at the recorded time and runs; random numbers
follow from the seed, the document's path and its place in the history, so that two documents of
one session do not draw the same.
"""

from __future__ import annotations

_SCRIPT = """
(() => {
  const start = %(start)d, begun = performance.now(), RealDate = Date;
  const now = () => Math.floor(start + performance.now() - begun);
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, given, made) =>
      Reflect.construct(target, given.length ? given : [now()], made),
    apply: () => new RealDate(now()).toString(),
    get: (target, name) => name === 'now' ? now : Reflect.get(target, name, target),
  });
  let state = %(seed)d ^ history.length;
  for (const sign of location.pathname + location.search)
    state = Math.imul(state ^ sign.codePointAt(0), 16777619) >>> 0;
  const next = () => {
    state = (state + 0x6D2B79F5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  Math.random = next;
  const crypto = globalThis.crypto;
  if (!crypto) return;
  crypto.getRandomValues = (array) => {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    for (let i = 0; i < bytes.length; i++) bytes[i] = Math.floor(next() * 256);
    return array;
  };
  if (crypto.randomUUID) crypto.randomUUID = () => {
    const hex = Array.from({length: 32}, () => Math.floor(next() * 16).toString(16));
    hex[12] = '4'; hex[16] = '8';
    const s = hex.join('');
    return `${s.slice(0,8)}-${s.slice(8,12)}-${s.slice(12,16)}-${s.slice(16,20)}-${s.slice(20)}`;
  };
})();
"""


def clock_script(*, start_ms: int, seed: int) -> str:
    """The script for a context; ``start_ms`` is Unix time in milliseconds."""
    return _SCRIPT % {"start": start_ms, "seed": seed}
