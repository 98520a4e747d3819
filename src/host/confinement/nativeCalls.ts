/**
 * System calls in our own process for which Node has none. A shared object is made for them that does nothing but these
 * calls when it is loaded: a table of them, and a loop of 80 bytes that makes one after the other and stores the
 * results. It is written to a directory that only we can enter, loaded by `process.dlopen` (which then complains that
 * it is no add-on, and unloads it), and removed.
 *
 * The calls act on the thread that loads it, the one that JavaScript runs on.
 */
import fs from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';

/** Bytes at an address; `pointer` says where in them the address of others is to be stored. */
interface Memory {
  readonly bytes: Uint8Array;
  readonly pointer?: { readonly at: number; readonly to: Memory };
}

/** `result of the first call`: what that returned, most often a descriptor. */
type NativeArgument = number | Memory | 'result of the first call';

export interface NativeCall {
  readonly number: number;
  readonly arguments: readonly NativeArgument[];
}

/**
 *        push rbx; push r12; lea rbx, [rip + table]; mov r12, -1
 *  next: mov rax, [rbx]; test rax, rax; js end
 *        mov rdi, [rbx + 8]; cmp rdi, -1; cmove rdi, r12
 *        mov rsi, [rbx + 16]; mov rdx, [rbx + 24]; mov r10, [rbx + 32]; mov r8, [rbx + 40]; xor r9d, r9d
 *        syscall
 *        mov [rbx + 48], rax; cmp r12, -1; cmove r12, rax; add rbx, 56; jmp next
 *  end:  pop r12; pop rbx; ret
 */
const CODE =
  '534154488d1d........49c7c4ffffffff488b034885c07833488b7b084883ffff490f44fc488b7310488b53184c8b53204c8b43284531c90f05488943304983fcff4c0f44e04883c338ebc5415c5bc3';
/** Where the distance to the table stands, and what it is counted from. */
const DISTANCE_AT = 6;
const COUNTED_FROM = 10;

const ROW = 56;
const RESULT = 48;
const FIRST_RESULT = -1n;
const END = -1n;
const PWRITE64 = 18;

const CODE_AT = 0x200;
/** From here on it is writable. */
const DATA_AT = 0x1000;
const DYNAMIC_BYTES = 12 * 16;
const SYMBOLS_AT = DATA_AT + DYNAMIC_BYTES;
const NAMES_AT = SYMBOLS_AT + 24;
const HASH_AT = NAMES_AT + 8;
const TABLE_AT = HASH_AT + 24;

/** What the calls returned, in their order; undefined if they could not be made at all. */
export function makeNativeCalls(calls: readonly NativeCall[]): readonly number[] | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  let fd: number | undefined;
  try {
    fd = openNameless();
    return loadOnce(fd, calls);
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
}

/** A file whose name is gone before there is something in it: others cannot get at it, and it does not stay behind. */
function openNameless(): number {
  const directory = fs.mkdtempSync(join(os.tmpdir(), 'culprit-'));
  try {
    return fs.openSync(join(directory, 'calls'), 'wx+', 0o600);
  } finally {
    fs.rmSync(directory, { recursive: true, force: true });
  }
}

function loadOnce(fd: number, calls: readonly NativeCall[]): readonly number[] | undefined {
  const length = (calls.length + 1) * ROW;
  // JavaScript cannot look into what was loaded, so the last call stores the table behind the end of the file.
  const withStoring = (end: number): Uint8Array => sharedObject([...calls, { number: PWRITE64, arguments: [fd, TABLE, length, end] }]);
  const end = withStoring(0).length;
  fs.writeSync(fd, withStoring(end));
  load(`/proc/self/fd/${fd}`);
  const table = new DataView(new ArrayBuffer(length));
  if (fs.readSync(fd, table, 0, length, end) < length) return undefined;
  return calls.map((_, i) => Number(table.getBigInt64(i * ROW + RESULT, true)));
}

function load(path: string): void {
  try {
    process.dlopen({ exports: {} }, path);
  } catch {
    // "Module did not self-register": by then it has done what it is for. Whether it has, the results tell.
  }
}

/** Stands for the table itself. */
const TABLE: Memory = { bytes: new Uint8Array(0) };

/**
 * An ELF file with two segments, what the dynamic loader asks for, and the code as what is to run when it is loaded.
 */
export function sharedObject(calls: readonly NativeCall[]): Uint8Array {
  const relocations: { readonly at: number; readonly to: number }[] = [];
  const blocks: { readonly at: number; readonly bytes: Uint8Array }[] = [];
  let end = TABLE_AT + calls.length * ROW + 8;
  const known = new Map<Memory, number>([[TABLE, TABLE_AT]]);
  const place = (memory: Memory): number => {
    const before = known.get(memory);
    if (before !== undefined) return before;
    const at = end;
    end += (memory.bytes.length + 7) & ~7;
    known.set(memory, at);
    blocks.push({ at, bytes: memory.bytes });
    if (memory.pointer !== undefined) relocations.push({ at: at + memory.pointer.at, to: place(memory.pointer.to) });
    return at;
  };
  const rows = calls.flatMap((call, i) => {
    const value = (argument: NativeArgument, index: number): bigint => {
      if (typeof argument === 'number') return BigInt(argument);
      if (argument === 'result of the first call') return FIRST_RESULT;
      relocations.push({ at: TABLE_AT + i * ROW + 8 * (index + 1), to: place(argument) });
      return 0n;
    };
    const values = Array.from({ length: 5 }, (_, index) => value(call.arguments[index] ?? 0, index));
    return [BigInt(call.number), ...values, 0n];
  });
  const relocationsAt = end;
  const bytes = new Uint8Array(relocationsAt + relocations.length * 24);
  const view = new DataView(bytes.buffer);
  writeHeaders(view, bytes.length);
  bytes.set(code(), CODE_AT);
  writeWords(view, DATA_AT, dynamicSection(relocationsAt, relocations.length));
  // One bucket, one chain: the symbol that every table begins with.
  for (const [i, word] of [1, 1, 0, 0].entries()) view.setUint32(HASH_AT + 4 * i, word, true);
  writeWords(view, TABLE_AT, [...rows, END]);
  for (const block of blocks) bytes.set(block.bytes, block.at);
  const R_X86_64_RELATIVE = 8n;
  writeWords(view, relocationsAt, relocations.flatMap(({ at, to }) => [BigInt(at), R_X86_64_RELATIVE, BigInt(to)]));
  return bytes;
}

function code(): Uint8Array {
  const bytes = Buffer.from(CODE.replace('........', '00000000'), 'hex');
  bytes.writeInt32LE(TABLE_AT - (CODE_AT + COUNTED_FROM), DISTANCE_AT);
  return bytes;
}

function writeWords(view: DataView, at: number, words: readonly bigint[]): void {
  for (const [i, word] of words.entries()) view.setBigInt64(at + 8 * i, word, true);
}

function writeHeaders(view: DataView, length: number): void {
  const header = Buffer.from('7f454c4602010100000000000000000003003e0001000000', 'hex');
  for (const [i, byte] of header.entries()) view.setUint8(i, byte);
  // Entry, program headers, section headers; flags; sizes and counts.
  writeWords(view, 24, [0n, 64n, 0n]);
  for (const [i, half] of [64, 56, 4, 64, 0, 0].entries()) view.setUint16(52 + 2 * i, half, true);
  const [LOAD, DYNAMIC, GNU_STACK] = [1, 2, 0x6474_e551];
  const [X, W, R] = [1, 2, 4];
  const segments = [
    [LOAD, R | X, 0, CODE_AT + CODE.length / 2],
    [LOAD, R | W, DATA_AT, length - DATA_AT],
    [DYNAMIC, R | W, DATA_AT, DYNAMIC_BYTES],
    [GNU_STACK, R | W, 0, 0],
  ] as const;
  for (const [i, [type, flags, at, size]] of segments.entries()) {
    const start = 64 + 56 * i;
    view.setUint32(start, type, true);
    view.setUint32(start + 4, flags, true);
    const place = BigInt(at);
    writeWords(view, start + 8, [place, place, place, BigInt(size), BigInt(size), type === LOAD ? 0x1000n : 8n]);
  }
}

function dynamicSection(relocationsAt: number, relocationCount: number): bigint[] {
  const tags = { HASH: 4, STRTAB: 5, SYMTAB: 6, RELA: 7, RELASZ: 8, RELAENT: 9, STRSZ: 10, SYMENT: 11, INIT: 12 };
  const entries: readonly (readonly [number, number])[] = [
    [tags.HASH, HASH_AT], [tags.STRTAB, NAMES_AT], [tags.SYMTAB, SYMBOLS_AT], [tags.STRSZ, 1], [tags.SYMENT, 24],
    [tags.RELA, relocationsAt], [tags.RELASZ, relocationCount * 24], [tags.RELAENT, 24], [tags.INIT, CODE_AT], [0, 0],
  ];
  return entries.flatMap(([tag, value]) => [BigInt(tag), BigInt(value)]);
}
