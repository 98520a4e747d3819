/** Between 0 and 100,000 bytes that depend on `n` only; every other payload cannot be compressed. */
export function payloadOf(n: number): Uint8Array<ArrayBuffer> {
  let state = (n + 1) * 2654435761;
  const bytes = new Uint8Array((state >>> 8) % 100_000);
  if (n % 2 === 0) return bytes.fill(n);
  for (let i = 0; i < bytes.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    bytes[i] = state >>> 24;
  }
  return bytes;
}
