/** Compressors and what belongs to them. Both directions, good and damaged input; without threads, which zstd loves. */
import { bzip2, gzip, xz, zstd } from '../compressed.js';
import { noise, prose } from '../inputs.js';
import { row } from '../invocation.js';

const TEXT = prose(4000);
const MIXED = new Uint8Array([...Buffer.from(prose(500)), ...noise(20_000)]);

export const COMPRESSION = [
  row('gzip -9', ['gzip', '-9', '-n', '-c', 'f'], { files: { f: TEXT } }),
  row('gzip -1 in place', ['gzip', '-1', 'f'], { files: { f: MIXED } }),
  row('gzip -d', ['gzip', '-d', 'f.gz'], { files: { 'f.gz': gzip(TEXT) } }),
  row('gzip -l', ['gzip', '-l', 'f.gz'], { files: { 'f.gz': gzip(TEXT) } }),
  row('gzip -t of damaged', ['gzip', '-t'], { stdin: damaged(gzip(TEXT)) }),
  row('gzip of what is there', ['gzip', 'f'], { stdin: '', files: { f: 'a', 'f.gz': 'b' } }),
  row('bzip2', ['bzip2', '-9', '-c', 'f'], { files: { f: TEXT } }),
  row('bunzip2', ['bunzip2', 'f.bz2'], { files: { 'f.bz2': bzip2(MIXED) } }),
  row('bunzip2 of damaged', ['bunzip2', '-c'], { stdin: damaged(bzip2(TEXT)) }),
  row('xz -6', ['xz', '-6', '-T1', '-c', 'f'], { files: { f: TEXT } }),
  row('xz -9e', ['xz', '-9e', '-T1', '-c', 'f'], { files: { f: MIXED }, long: true }),
  row('xz -d', ['xz', '-d', '-c', 'f.xz'], { files: { 'f.xz': xz(MIXED) } }),
  row('xz -l', ['xz', '-l', '--robot', 'f.xz'], { files: { 'f.xz': xz(TEXT) } }),
  row('unxz of damaged', ['unxz', '-c'], { stdin: damaged(xz(TEXT)) }),
  row('lzma', ['lzma', '-1', '-c', 'f'], { files: { f: TEXT.slice(0, 20_000) } }),
  row('zstd', ['zstd', '--single-thread', '--no-asyncio', '-q', '-c', 'f'], { files: { f: TEXT } }),
  row('zstd -19', ['zstd', '--single-thread', '--no-asyncio', '-19', '-q', '-c', 'f'], { files: { f: TEXT.slice(0, 30_000) } }),
  row('zstd -d', ['zstd', '-d', '--single-thread', '--no-asyncio', '-q', '-c', 'f.zst'], { files: { 'f.zst': zstd(MIXED) } }),
  row('zip', ['zip', '-X', '-q', '-r', 'out.zip', 'f', 'd'], { files: { f: TEXT.slice(0, 30_000), 'd/g': MIXED } }),
  row('openssl dgst', ['openssl', 'dgst', '-sha3-256', '-r', 'f'], { files: { f: noise(100_000) } }),
  row('openssl enc', ['openssl', 'enc', '-aes-128-cbc', '-K', '00112233445566778899aabbccddeeff', '-iv', '0102030405060708090a0b0c0d0e0f10', '-in', 'f'], { files: { f: TEXT } }),
  row('openssl prime', ['openssl', 'prime', '170141183460469231731687303715884105727']),
  row('openssl passwd', ['openssl', 'passwd', '-6', '-salt', 'saltsalt', 'secret']),
];

/** With one byte of the middle changed. */
function damaged(bytes: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(bytes);
  const middle = copy.length >> 1;
  copy[middle] = (copy[middle] ?? 0) ^ 0x55;
  return copy;
}
