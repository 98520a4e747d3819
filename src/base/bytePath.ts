/**
 * Linux file names are bytes without an encoding. A BytePath is such a name as a string with one
 * character (0..255) per byte: exact like a byte array, but it can be compared, concatenated and
 * searched. Only the host turns it into the bytes a system call takes.
 */
import { visible } from './visible.js';

export type BytePath = string & { readonly __brand: 'BytePath' };

/** For text that already has one character per byte (which all ASCII text has). */
export function bytePath(text: string): BytePath {
  return text as BytePath;
}

/** The name that JavaScript text stands for: its UTF-8 bytes. */
export function bytePathFromText(text: string): BytePath {
  let out = '';
  for (const byte of new TextEncoder().encode(text)) out += String.fromCharCode(byte);
  return out as BytePath;
}

export function bytePathFromBytes(bytes: Uint8Array): BytePath {
  let out = '';
  for (const byte of bytes) out += String.fromCharCode(byte);
  return out as BytePath;
}

/** For people to read: bytes that are no UTF-8 become U+FFFD. */
export function textOfBytePath(path: BytePath): string {
  return new TextDecoder().decode(bytesOfBytePath(path));
}

/** The same for a line of ours: nothing in it controls a terminal. */
export function shownPath(path: string): string {
  return visible(textOfBytePath(bytePath(path)));
}

export function bytesOfBytePath(path: string): Uint8Array {
  const bytes = new Uint8Array(path.length);
  for (let i = 0; i < path.length; i++) bytes[i] = path.charCodeAt(i);
  return bytes;
}
