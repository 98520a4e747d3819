/**
 * IP addresses as text in one canonical spelling, so that equal addresses are equal strings: they are
 * keys of maps, and what Node wants. IPv4 is dotted; IPv6 is written as RFC 5952 has it, and an IPv4 address
 * inside an IPv6 one (::ffff:1.2.3.4) is always the plain IPv4 address.
 */

export type IpAddress = string & { readonly __brand: 'IpAddress' };

export const ANY4 = '0.0.0.0' as IpAddress;
export const ANY6 = '::' as IpAddress;
export const LOOPBACK4 = '127.0.0.1' as IpAddress;
export const LOOPBACK6 = '::1' as IpAddress;
export const BROADCAST4 = '255.255.255.255' as IpAddress;

export function isV4(ip: IpAddress): boolean {
  return !ip.includes(':');
}

export function isAny(ip: IpAddress): boolean {
  return ip === ANY4 || ip === ANY6;
}

export function isLoopback(ip: IpAddress): boolean {
  return ip === LOOPBACK6 || (isV4(ip) && ip.startsWith('127.'));
}

export function isMulticast(ip: IpAddress): boolean {
  if (!isV4(ip)) return ip.startsWith('ff');
  const first = Number.parseInt(ip, 10);
  return first >= 224 && first < 240;
}

/** From 4 or 16 bytes in network order. */
export function ipFromBytes(bytes: Uint8Array): IpAddress {
  if (bytes.length === 4) return bytes.join('.') as IpAddress;
  if (isMapped(bytes)) return bytes.subarray(12).join('.') as IpAddress;
  const words = Array.from({ length: 8 }, (_, i) => (((bytes[i * 2] as number) << 8) | (bytes[i * 2 + 1] as number)).toString(16));
  const [start, length] = longestZeros(words);
  if (length < 2) return words.join(':') as IpAddress;
  return `${words.slice(0, start).join(':')}::${words.slice(start + length).join(':')}` as IpAddress;
}

/** Text in any spelling, as the host gives it; a zone (%eth0) is left out. */
export function ipFromText(text: string): IpAddress {
  const [address = ''] = text.split('%');
  return address.includes(':') ? ipFromBytes(parseV6(address)) : (address as IpAddress);
}

/** 4 bytes of an IPv4 address, 16 of an IPv6 one. */
export function bytesOfIp(ip: IpAddress): Uint8Array {
  return isV4(ip) ? Uint8Array.from(ip.split('.').map(Number)) : parseV6(ip);
}

/** 16 bytes of either: IPv4 as ::ffff:a.b.c.d. */
export function bytes16OfIp(ip: IpAddress): Uint8Array {
  if (!isV4(ip)) return parseV6(ip);
  return Uint8Array.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, ...bytesOfIp(ip)]);
}

function isMapped(bytes: Uint8Array): boolean {
  return bytes[10] === 0xff && bytes[11] === 0xff && bytes.subarray(0, 10).every((byte) => byte === 0);
}

function parseV6(text: string): Uint8Array {
  const [head = '', tail] = text.split('::');
  const before = wordsOf(head);
  const after = wordsOf(tail ?? '');
  const middle = tail === undefined ? 0 : 8 - before.length - after.length;
  const words = [...before, ...Array.from({ length: middle }, () => 0), ...after];
  return Uint8Array.from(words.flatMap((word) => [word >> 8, word & 0xff]));
}

function wordsOf(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((part) => {
    if (!part.includes('.')) return [Number.parseInt(part, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number);
    return [(a << 8) | b, (c << 8) | d];
  });
}

/** Start and length of the first longest run of zero words. */
function longestZeros(words: readonly string[]): [number, number] {
  let [bestStart, bestLength] = [0, 0];
  for (let i = 0; i < words.length; i++) {
    let end = i;
    while (words[end] === '0') end++;
    if (end - i > bestLength) [bestStart, bestLength] = [i, end - i];
    i = Math.max(i, end);
  }
  return [bestStart, bestLength];
}
