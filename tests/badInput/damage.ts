/** Ways to damage a file's headers. */
import type { Random } from '../cpu/random.js';
import { FIELDS, HEADERS_SIZE } from './smallElf.js';

/** Where arithmetic on sizes and addresses goes wrong, if it does. */
const EDGES: readonly bigint[] = [
  0n, 1n, 2n, 7n, 8n, 0x1000n, 0xfffn, 0x1001n, 0x200n, 0x40_0000n, 0x7fff_ffffn, 0x8000_0000n, 0xffff_ffffn, 0x1_0000_0000n,
  0x7fff_ffff_e000n, 0x7fff_ffff_f000n, 0x7fff_ffff_ffffn, 0x8000_0000_0000n, 0xffff_ffff_ffffn, 1n << 53n, (1n << 53n) + 1n,
  0x7fff_ffff_ffff_ffffn, 1n << 63n, 0xffff_8000_0000_0000n, 0xffff_ffff_ffff_f000n, 0xffff_ffff_ffff_ffffn,
];

const WAYS: readonly ((file: Buffer, random: Random) => void)[] = [
  flipByte,
  flipByte,
  (file, random) => {
    flipByte(file, random);
    flipByte(file, random);
    flipByte(file, random);
  },
  setField,
  setField,
  (file, random) => {
    setField(file, random);
    setField(file, random);
  },
];

export function damage(original: Buffer, random: Random): Buffer {
  const file = Buffer.from(original);
  random.pick(WAYS)(file, random);
  return file;
}

function flipByte(file: Buffer, random: Random): void {
  const at = random.below(HEADERS_SIZE);
  file.writeUInt8((file.readUInt8(at) ^ (1 + random.below(255))) & 0xff, at);
}

function setField(file: Buffer, random: Random): void {
  const { at, bytes } = random.pick(FIELDS);
  const value = random.oneIn(3) ? random.u64() : random.pick(EDGES);
  const all = Buffer.alloc(8);
  all.writeBigUInt64LE(value);
  all.copy(file, at, 0, bytes);
}
