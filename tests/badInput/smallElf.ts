/** A program small enough to be damaged in every way: prints "ok" and ends with status 7. Needs no compiler. */

const EHDR_SIZE = 64;
const PHDR_SIZE = 56;
const PHDR_COUNT = 3;
export const HEADERS_SIZE = EHDR_SIZE + PHDR_COUNT * PHDR_SIZE;
const CODE_OFFSET = 0x140;
const DATA_OFFSET = 0x200;
const DATA_ADDRESS = 0x1000 + DATA_OFFSET;
const FILE_SIZE = DATA_OFFSET + 8;

export const EXEC = 2;
export const DYN = 3;
const PT_LOAD = 1;
const PT_GNU_STACK = 0x6474e551;

/** write(1, text, 3); bss = 7; exit(bss). Position-independent. */
const CODE = [
  0xb8, 0x01, 0x00, 0x00, 0x00, // mov eax, 1
  0xbf, 0x01, 0x00, 0x00, 0x00, // mov edi, 1
  0x48, 0x8d, 0x35, ...relative(10 + 7, DATA_ADDRESS), // lea rsi, [rip + text]
  0xba, 0x03, 0x00, 0x00, 0x00, // mov edx, 3
  0x0f, 0x05, // syscall
  0xc7, 0x05, ...relative(24 + 10, DATA_ADDRESS + 0x100), 0x07, 0x00, 0x00, 0x00, // mov dword [rip + bss], 7
  0x8b, 0x3d, ...relative(34 + 6, DATA_ADDRESS + 0x100), // mov edi, [rip + bss]
  0xb8, 0x3c, 0x00, 0x00, 0x00, // mov eax, 60
  0x0f, 0x05, // syscall
];

function relative(next: number, target: number): number[] {
  const distance = Buffer.alloc(4);
  distance.writeInt32LE(target - (CODE_OFFSET + next));
  return [...distance];
}

/** `type` is EXEC (at 0x400000) or DYN. */
export function smallElf(type: number): Buffer {
  const base = type === EXEC ? 0x40_0000 : 0;
  const file = Buffer.alloc(FILE_SIZE);
  file.write('\x7fELF\x02\x01\x01', 0, 'latin1');
  file.writeUInt16LE(type, 16);
  file.writeUInt16LE(62, 18);
  file.writeUInt32LE(1, 20);
  file.writeBigUInt64LE(BigInt(base + CODE_OFFSET), 24);
  file.writeBigUInt64LE(BigInt(EHDR_SIZE), 32);
  file.writeUInt16LE(EHDR_SIZE, 52);
  file.writeUInt16LE(PHDR_SIZE, 54);
  file.writeUInt16LE(PHDR_COUNT, 56);
  segment(file, 0, { type: PT_LOAD, flags: 5, offset: 0, address: base, fileSize: DATA_OFFSET, memorySize: DATA_OFFSET, align: 4096 });
  segment(file, 1, { type: PT_LOAD, flags: 6, offset: DATA_OFFSET, address: base + DATA_ADDRESS, fileSize: 8, memorySize: 0x3000, align: 4096 });
  segment(file, 2, { type: PT_GNU_STACK, flags: 6, offset: 0, address: 0, fileSize: 0, memorySize: 0, align: 16 });
  file.set(CODE, CODE_OFFSET);
  file.write('ok\n', DATA_OFFSET, 'latin1');
  return file;
}

interface SegmentFields {
  readonly type: number;
  readonly flags: number;
  readonly offset: number;
  readonly address: number;
  readonly fileSize: number;
  readonly memorySize: number;
  readonly align: number;
}

function segment(file: Buffer, index: number, s: SegmentFields): void {
  const at = EHDR_SIZE + index * PHDR_SIZE;
  file.writeUInt32LE(s.type, at);
  file.writeUInt32LE(s.flags, at + 4);
  [s.offset, s.address, s.address, s.fileSize, s.memorySize, s.align].forEach((value, i) => file.writeBigUInt64LE(BigInt(value), at + 8 + 8 * i));
}

/** Where the fields of the headers are, by width. */
export const FIELDS: readonly { readonly at: number; readonly bytes: 1 | 2 | 4 | 8 }[] = [
  ...[4, 5, 6, 7].map((at) => ({ at, bytes: 1 as const })),
  ...[16, 18, 52, 54, 56, 58, 60, 62].map((at) => ({ at, bytes: 2 as const })),
  ...[20, 48].map((at) => ({ at, bytes: 4 as const })),
  ...[24, 32, 40].map((at) => ({ at, bytes: 8 as const })),
  ...Array.from({ length: PHDR_COUNT }, (_, i) => EHDR_SIZE + i * PHDR_SIZE).flatMap((at) => [
    { at, bytes: 4 as const },
    { at: at + 4, bytes: 4 as const },
    ...[8, 16, 24, 32, 40, 48].map((offset) => ({ at: at + offset, bytes: 8 as const })),
  ]),
];
