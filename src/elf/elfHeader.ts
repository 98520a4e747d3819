/** The ELF file header and program headers, and the complaints about files that are not for us. */
import type { ElfReader } from './elfReader.js';

export const ET = { REL: 1, EXEC: 2, DYN: 3, CORE: 4 } as const;
export const PT = {
  LOAD: 1, DYNAMIC: 2, INTERP: 3, NOTE: 4, PHDR: 6, TLS: 7,
  GNU_EH_FRAME: 0x6474e550, GNU_STACK: 0x6474e551, GNU_RELRO: 0x6474e552, GNU_PROPERTY: 0x6474e553,
} as const;
/** Segment permission bits. */
export const PF = { X: 1, W: 2, R: 4 } as const;

const EHDR_SIZE = 64;
const PHDR_SIZE = 56;
const EM_X86_64 = 62;
const MACHINES: Readonly<Record<number, string>> = {
  2: 'SPARC', 3: 'i386', 8: 'MIPS', 20: 'PowerPC', 21: 'PowerPC64', 22: 'S/390', 40: 'ARM', 42: 'SuperH', 43: 'SPARC V9',
  50: 'IA-64', 62: 'x86-64', 183: 'AArch64', 243: 'RISC-V', 247: 'BPF', 258: 'LoongArch',
};

export interface ElfHeader {
  /** One of ET. */
  readonly type: number;
  readonly entry: number;
  readonly programHeaderOffset: number;
  readonly programHeaderCount: number;
  readonly sectionHeaderOffset: number;
  readonly sectionHeaderSize: number;
  readonly sectionHeaderCount: number;
  readonly sectionNamesIndex: number;
}

export interface Segment {
  /** One of PT, or anything else. */
  readonly type: number;
  /** Bits of PF. */
  readonly flags: number;
  readonly offset: number;
  readonly address: number;
  readonly fileSize: number;
  readonly memorySize: number;
  readonly align: number;
}

export function hasElfMagic(bytes: Uint8Array): boolean {
  return bytes.length >= 4 && bytes[0] === 0x7f && bytes[1] === 0x45 && bytes[2] === 0x4c && bytes[3] === 0x46;
}

export function parseHeader(reader: ElfReader): ElfHeader {
  if (reader.size < 4 || !hasElfMagic(reader.slice(0, 4, 'magic bytes'))) reader.fail('not an ELF file');
  checkIdentity(reader);
  if (reader.size < EHDR_SIZE) reader.fail('truncated ELF file: the header is incomplete');
  const machine = reader.u16(18);
  if (machine !== EM_X86_64) reader.fail(`ELF file for ${machineName(machine)}, not for x86-64`);
  const count = reader.u16(56);
  if (count > 0 && reader.u16(54) !== PHDR_SIZE) {
    reader.fail(`corrupt ELF header: program header size is ${reader.u16(54)}, not ${PHDR_SIZE}`);
  }
  return {
    type: reader.u16(16),
    entry: reader.u64(24),
    programHeaderOffset: reader.u64(32),
    programHeaderCount: count,
    sectionHeaderOffset: reader.u64(40),
    sectionHeaderSize: reader.u16(58),
    sectionHeaderCount: reader.u16(60),
    sectionNamesIndex: reader.u16(62),
  };
}

export function parseSegments(reader: ElfReader, header: ElfHeader): Segment[] {
  const { programHeaderOffset: base, programHeaderCount: count } = header;
  reader.need(base, count * PHDR_SIZE, 'program headers');
  return Array.from({ length: count }, (_, i) => {
    const at = base + i * PHDR_SIZE;
    return {
      type: reader.u32(at),
      flags: reader.u32(at + 4),
      offset: reader.u64(at + 8),
      address: reader.u64(at + 16),
      fileSize: reader.u64(at + 32),
      memorySize: reader.u64(at + 40),
      align: reader.u64(at + 48),
    };
  });
}

function checkIdentity(reader: ElfReader): void {
  if (reader.size < 20) reader.fail('truncated ELF file: the header is incomplete');
  const [bits, order, version] = [reader.u8(4), reader.u8(5), reader.u8(6)];
  if (order === 2) {
    const machine = reader.u8(18) * 256 + reader.u8(19);
    reader.fail(`big-endian ELF file for ${machineName(machine)}, not for x86-64`);
  }
  if (order !== 1) reader.fail(`corrupt ELF header: byte order ${order}`);
  if (bits === 1) reader.fail(`32-bit ELF file for ${machineName(reader.u16(18))}; only 64-bit x86-64 programs can run`);
  if (bits !== 2) reader.fail(`corrupt ELF header: file class ${bits}`);
  if (version !== 1) reader.fail(`corrupt ELF header: version ${version}`);
}

function machineName(machine: number): string {
  return MACHINES[machine] ?? `machine ${machine}`;
}
