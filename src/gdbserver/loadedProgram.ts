/**
 * What is known of a program from the memory of its process: the auxiliary vector that it was started with, and the list of libraries
 * that its dynamic linker keeps for debuggers. Memory may hold anything; what makes no sense is as if it were not there.
 */
import { valueOfBytes } from './hex.js';

/** Reads memory; null if a byte is not there. */
export type Reader = (address: number, length: number) => Uint8Array | null;

export const AUX = { PHDR: 3, PHENT: 4, PHNUM: 5, BASE: 7, ENTRY: 9 } as const;

interface LoadedLibrary {
  /** One character a byte. */
  readonly name: string;
  /** Address of its link map. */
  readonly map: number;
  readonly bias: number;
  /** Of its dynamic section. */
  readonly dynamic: number;
}

export interface Libraries {
  /** Address of the program's own link map; 0 if there is none. */
  readonly mainMap: number;
  readonly all: readonly LoadedLibrary[];
}

const PT = { DYNAMIC: 2, PHDR: 6 } as const;
const DT_DEBUG = 21;
const MOST_ENTRIES = 10_000;
const LONGEST_NAME = 4096;
const HIGHEST = 2n ** 53n;

function word(read: Reader, address: number): number | undefined {
  const bytes = read(address, 8);
  const value = bytes === null ? HIGHEST : valueOfBytes(bytes);
  return value >= HIGHEST ? undefined : Number(value);
}

/** Bytes of the vector, from the stack of a process that has not run yet: argc, arguments, environment, vector. */
export function readAuxv(read: Reader, stackPointer: number): Uint8Array {
  const argc = word(read, stackPointer) ?? 0;
  let at = stackPointer + 8 * (argc + 2);
  for (let left = MOST_ENTRIES; left > 0 && (read(at, 8)?.some((byte) => byte !== 0) ?? false); left--) at += 8;
  at += 8;
  for (let end = at, left = MOST_ENTRIES; left > 0; left--, end += 16) {
    const type = word(read, end);
    if (type === undefined) break;
    if (type === 0) return read(at, end + 16 - at) ?? new Uint8Array(0);
  }
  return new Uint8Array(0);
}

/** The value of an entry; undefined if there is none. */
export function auxValue(auxv: Uint8Array, type: number): number | undefined {
  const view = new DataView(auxv.buffer, auxv.byteOffset, auxv.length);
  for (let at = 0; at + 16 <= auxv.length; at += 16) {
    if (view.getBigUint64(at, true) !== BigInt(type)) continue;
    const value = view.getBigUint64(at + 8, true);
    return value < HIGHEST ? Number(value) : undefined;
  }
  return undefined;
}

interface ProgramHeader {
  readonly type: number;
  readonly address: number;
}

function programHeaders(read: Reader, auxv: Uint8Array): ProgramHeader[] {
  const [start, size, count] = [auxValue(auxv, AUX.PHDR), auxValue(auxv, AUX.PHENT), auxValue(auxv, AUX.PHNUM)];
  if (start === undefined || size === undefined || count === undefined) return [];
  const headers: ProgramHeader[] = [];
  for (let i = 0; i < Math.min(count, MOST_ENTRIES); i++) {
    const [head, address] = [word(read, start + i * size), word(read, start + i * size + 16)];
    const type = read(start + i * size, 4);
    if (type !== null && address !== undefined && head !== undefined) headers.push({ type: Number(valueOfBytes(type)), address });
  }
  return headers;
}

/** Where the dynamic linker's list begins; undefined if it has not made one yet, or there is no linker. */
function linkerList(read: Reader, auxv: Uint8Array): number | undefined {
  const headers = programHeaders(read, auxv);
  const dynamic = headers.find(({ type }) => type === PT.DYNAMIC)?.address;
  if (dynamic === undefined) return undefined;
  const own = headers.find(({ type }) => type === PT.PHDR)?.address;
  const bias = own === undefined ? 0 : (auxValue(auxv, AUX.PHDR) ?? own) - own;
  for (let at = dynamic + bias, left = MOST_ENTRIES; left > 0; left--, at += 16) {
    const tag = word(read, at);
    if (tag === undefined && read(at, 8) === null) return undefined;
    if (tag === 0) return undefined;
    if (tag !== DT_DEBUG) continue;
    const debug = word(read, at + 8);
    return debug === undefined || debug === 0 ? undefined : word(read, debug + 8);
  }
  return undefined;
}

export function readLibraries(read: Reader, auxv: Uint8Array): Libraries {
  const first = linkerList(read, auxv);
  if (first === undefined || first === 0) return { mainMap: 0, all: [] };
  const all: LoadedLibrary[] = [];
  for (let map = word(read, first + 24), left = MOST_ENTRIES; map !== undefined && map !== 0 && left > 0; left--) {
    const [bias, nameAt, dynamic]: readonly (number | undefined)[] = [word(read, map), word(read, map + 8), word(read, map + 16)];
    const name = nameAt === undefined ? '' : readName(read, nameAt);
    if (bias !== undefined && dynamic !== undefined && name !== '') all.push({ name, map, bias, dynamic });
    map = word(read, map + 24);
  }
  return { mainMap: first, all };
}

function readName(read: Reader, address: number): string {
  let name = '';
  for (let at = address; name.length < LONGEST_NAME; at++) {
    const byte = read(at, 1)?.[0] ?? 0;
    if (byte === 0) break;
    name += String.fromCharCode(byte);
  }
  return name;
}
