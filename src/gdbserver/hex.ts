/** Numbers and bytes as the remote protocol spells them. Payloads are strings with one character a byte. */
import { type GuestAddr, guestAddr } from '../base/types.js';

const DIGITS = '0123456789abcdef';

export function hexOfBytes(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += (DIGITS[byte >> 4] as string) + (DIGITS[byte & 15] as string);
  return text;
}

/** Undefined if it is not hexadecimal. */
export function bytesOfHex(text: string): Uint8Array | undefined {
  if (text.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(text)) return undefined;
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(text.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

/** One character a byte, in both directions. */
export function textOfBytes(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

export function bytesOfText(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** What people read, as hexadecimal UTF-8. */
export function hexOfText(text: string): string {
  return hexOfBytes(new TextEncoder().encode(text));
}

/** A number in hexadecimal without a prefix; undefined if it is none, or one that no address can be. */
export function parseHex(text: string | undefined): number | undefined {
  if (text === undefined || !/^[0-9a-fA-F]{1,16}$/.test(text)) return undefined;
  const number = Number.parseInt(text, 16);
  return Number.isSafeInteger(number) ? number : undefined;
}

/** An address; those above what user memory can have come out as numbers that nothing is mapped at. */
export function parseAddress(text: string | undefined): GuestAddr | undefined {
  if (text === undefined || !/^[0-9a-fA-F]{1,16}$/.test(text)) return undefined;
  return guestAddr(Number.parseInt(text, 16));
}

/** Little-endian. */
export function bytesOfValue(value: bigint, count: number): Uint8Array {
  const words = new BigUint64Array(Math.ceil(count / 8));
  for (let i = 0; i < words.length; i++) words[i] = BigInt.asUintN(64, value >> BigInt(64 * i));
  return new Uint8Array(words.buffer, 0, count);
}

export function valueOfBytes(bytes: Uint8Array): bigint {
  let value = 0n;
  for (let i = bytes.length - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[i] as number);
  return value;
}
