/** FNV-1a over a name's UTF-8, without template arguments: who looks for `f` means `f<int>`, too. */
export function hashName(name: string): number {
  return hashBytes(new TextEncoder().encode(name), 0);
}

const LESS = 0x3c;

/** Hash of the bytes from `start` to a NUL, `<` or the end. */
export function hashBytes(bytes: Uint8Array, start: number): number {
  let hash = 0x811c9dc5;
  for (let i = start; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    if (byte === 0 || byte === LESS) break;
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return hash >>> 0;
}
