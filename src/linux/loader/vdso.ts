/**
 * The vDSO: the small library that the kernel maps into every process. Ours makes real system calls
 * of what Linux does in user space (so that the recorder sees them), but it is there, under the
 * same names and at the same place, because the dynamic linker allocates memory on its behalf and
 * programs' addresses depend on that.
 */
const PAGE = 4096;
const TEXT = 0x800;

/** Exported names and the numbers of the system calls behind them. */
const FUNCTIONS: readonly (readonly [string, number])[] = [
  ['clock_gettime', 228], ['__vdso_clock_gettime', 228],
  ['gettimeofday', 96], ['__vdso_gettimeofday', 96],
  ['time', 201], ['__vdso_time', 201],
  ['clock_getres', 229], ['__vdso_clock_getres', 229],
  ['getcpu', 309], ['__vdso_getcpu', 309],
];
const SONAME = 'linux-vdso.so.1';
const VERSION = 'LINUX_2.6';
const [FUNC, GLOBAL, WEAK, TEXT_SECTION] = [2, 1, 2, 1];
const DT = { HASH: 4, STRTAB: 5, SYMTAB: 6, STRSZ: 10, SYMENT: 11, SONAME: 14, VERSYM: 0x6ffffff0, VERDEF: 0x6ffffffc, VERDEFNUM: 0x6ffffffd };

/** The image of the vDSO: one page that is to be mapped readable and executable. */
export function buildVdso(): Uint8Array {
  const bytes = new Uint8Array(PAGE);
  const view = new DataView(bytes.buffer);
  const count = FUNCTIONS.length + 1;
  const strings = stringTable([SONAME, VERSION, ...FUNCTIONS.map(([name]) => name)]);

  const hash = 64 + 2 * 56;
  const symbols = align8(hash + (3 + count) * 4);
  const versions = symbols + count * 24;
  const definitions = align8(versions + count * 2);
  const dynamic = align8(definitions + 2 * 28);
  const names = dynamic + 10 * 16;
  bytes.set(strings.bytes, names);

  writeHeaders(view, dynamic);
  writeHash(view, hash, count);
  FUNCTIONS.forEach(([name, number], i) => {
    const code = TEXT + i * 16;
    writeSymbol(view, symbols + (i + 1) * 24, strings.offsetOf(name), code, name.startsWith('__') ? GLOBAL : WEAK);
    view.setUint16(versions + (i + 1) * 2, 2, true);
    writeFunction(view, code, number);
  });
  writeDefinition(view, definitions, 1, 1, SONAME, strings.offsetOf(SONAME), 28);
  writeDefinition(view, definitions + 28, 2, 0, VERSION, strings.offsetOf(VERSION), 0);
  writeDynamic(view, dynamic, [
    [DT.SONAME, strings.offsetOf(SONAME)], [DT.HASH, hash], [DT.STRTAB, names], [DT.SYMTAB, symbols],
    [DT.STRSZ, strings.bytes.length], [DT.SYMENT, 24], [DT.VERSYM, versions], [DT.VERDEF, definitions], [DT.VERDEFNUM, 2],
  ]);
  return bytes;
}

function writeHeaders(view: DataView, dynamic: number): void {
  [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1].forEach((byte, i) => view.setUint8(i, byte));
  view.setUint16(16, 3, true); // ET_DYN
  view.setUint16(18, 62, true); // x86-64
  view.setUint32(20, 1, true);
  view.setUint32(24, TEXT, true);
  view.setUint32(32, 64, true); // program headers
  view.setUint16(52, 64, true);
  view.setUint16(54, 56, true);
  view.setUint16(56, 2, true);
  view.setUint16(58, 64, true);
  writeSegment(view, 64, 1, 5, 0, PAGE, PAGE);
  writeSegment(view, 64 + 56, 2, 4, dynamic, 10 * 16, 8);
}

function writeSegment(view: DataView, at: number, type: number, flags: number, offset: number, size: number, align: number): void {
  view.setUint32(at, type, true);
  view.setUint32(at + 4, flags, true);
  for (const field of [8, 16, 24]) view.setUint32(at + field, offset, true);
  for (const field of [32, 40]) view.setUint32(at + field, size, true);
  view.setUint32(at + 48, align, true);
}

/** A hash table of one bucket: all symbols in one chain. */
function writeHash(view: DataView, at: number, count: number): void {
  [1, count, 1].forEach((word, i) => view.setUint32(at + i * 4, word, true));
  for (let i = 1; i < count - 1; i++) view.setUint32(at + 12 + i * 4, i + 1, true);
}

function writeSymbol(view: DataView, at: number, name: number, address: number, binding: number): void {
  view.setUint32(at, name, true);
  view.setUint8(at + 4, (binding << 4) | FUNC);
  view.setUint16(at + 6, TEXT_SECTION, true);
  view.setUint32(at + 8, address, true);
  view.setUint32(at + 16, 8, true);
}

/** mov eax, number; syscall; ret */
function writeFunction(view: DataView, at: number, number: number): void {
  view.setUint8(at, 0xb8);
  view.setUint32(at + 1, number, true);
  [0x0f, 0x05, 0xc3].forEach((byte, i) => view.setUint8(at + 5 + i, byte));
}

function writeDefinition(
  view: DataView, at: number, index: number, flags: number, name: string, nameOffset: number, next: number,
): void {
  [1, flags, index, 1].forEach((half, i) => view.setUint16(at + i * 2, half, true));
  view.setUint32(at + 8, elfHash(name), true);
  view.setUint32(at + 12, 20, true);
  view.setUint32(at + 16, next, true);
  view.setUint32(at + 20, nameOffset, true);
}

function writeDynamic(view: DataView, at: number, entries: readonly (readonly [number, number])[]): void {
  entries.forEach(([tag, value], i) => {
    view.setUint32(at + i * 16, tag, true);
    view.setUint32(at + i * 16 + 8, value, true);
  });
}

function stringTable(strings: readonly string[]): { bytes: Uint8Array; offsetOf(s: string): number } {
  const text = `\0${strings.join('\0')}\0`;
  return { bytes: new TextEncoder().encode(text), offsetOf: (s) => text.indexOf(`\0${s}\0`) + 1 };
}

/** The hash function of the ELF specification. */
function elfHash(name: string): number {
  let h = 0;
  for (let i = 0; i < name.length; i++) {
    h = (h << 4) + name.charCodeAt(i);
    const top = h & 0xf000_0000;
    h = (h ^ (top >>> 24)) & ~top;
  }
  return h >>> 0;
}

function align8(n: number): number {
  return (n + 7) & ~7;
}
