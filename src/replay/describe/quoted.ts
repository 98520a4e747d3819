/** Bytes as a C string, shortened. */
import { escapedCharacter, visible } from '../../base/visible.js';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** At most `most` bytes of it, with `...` if there are more. */
export function quoted(bytes: Uint8Array, most = 64): string {
  const shown = bytes.subarray(0, most);
  return `"${textOf(shown)}"${shown.length < bytes.length ? '...' : ''}`;
}

/** UTF-8 as it is, unless some of it is none. */
function textOf(bytes: Uint8Array): string {
  try {
    return visible(UTF8.decode(bytes).replace(/["\\]/g, '\\$&'));
  } catch {
    return Array.from(bytes, escapedByte).join('');
  }
}

function escapedByte(byte: number): string {
  const character = String.fromCharCode(byte);
  if (character === '"' || character === '\\') return `\\${character}`;
  return byte < 0x20 || byte >= 0x7f ? escapedCharacter(character) : character;
}
