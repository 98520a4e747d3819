/** Bytes as a C string, shortened. */
const ESCAPES: Readonly<Record<number, string>> = { 9: '\\t', 10: '\\n', 13: '\\r', 27: '\\e', 34: '\\"', 92: '\\\\', 0: '\\0' };
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** At most `most` bytes of it, with `...` if there are more. */
export function quoted(bytes: Uint8Array, most = 64): string {
  const shown = bytes.subarray(0, most);
  return `"${textOf(shown)}"${shown.length < bytes.length ? '...' : ''}`;
}

/** UTF-8 as it is, unless some of it is none. */
function textOf(bytes: Uint8Array): string {
  if (bytes.every((byte) => byte < 0x80)) return escapedBytes(bytes);
  try {
    // oxlint-disable-next-line no-control-regex
    return UTF8.decode(bytes).replace(/[\u0000-\u001f"\\\u007f-\u009f]/g, (c) => escapedByte(c.charCodeAt(0)));
  } catch {
    return escapedBytes(bytes);
  }
}

function escapedBytes(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += escapedByte(byte);
  return text;
}

function escapedByte(byte: number): string {
  const known = ESCAPES[byte];
  if (known !== undefined) return known;
  return byte < 0x20 || byte >= 0x7f ? `\\x${byte.toString(16).padStart(2, '0')}` : String.fromCharCode(byte);
}
