/** The dynamic linker's list of what it has loaded, in its order: by the debugger's entry (DT_DEBUG) of the program. */
import { shownPath } from '../../base/bytePath.js';
import { visible } from '../../base/visible.js';
import { PT } from '../../elf/elfHeader.js';
import type { LoadedModule } from './modules.js';
import type { ProgramView } from './programView.js';

/** A `struct link_map` in the program's memory. */
interface LinkEntry {
  /** Its own address. */
  readonly map: bigint;
  /** What is added to addresses in the file. */
  readonly bias: bigint;
  /** Of the dynamic section. */
  readonly dynamic: bigint;
  /** Where its name is (linkName). */
  readonly nameAt: bigint;
}

const DT_DEBUG = 21n;
/** r_debug: version, then the first link_map. link_map: l_addr, l_name, l_ld, l_next. */
const FIRST_MAP = 8n;
const [NAME, DYNAMIC, NEXT] = [8n, 16n, 24n];
const LONGEST_NAME = 4096;
/** A list that is longer is damaged. */
const MOST = 10_000;
const MOST_DYNAMIC = 200;

/** The program's own entry comes first. Empty if the linker has not made the list yet, or if the program is static. */
export function linkEntries(program: ProgramView): LinkEntry[] {
  const { main } = program.modules;
  const debug = main === undefined ? undefined : debugEntry(program, main);
  const entries: LinkEntry[] = [];
  let map = debug === undefined || debug === 0n ? undefined : program.pointer(debug + FIRST_MAP);
  for (let i = 0; i < MOST && map !== undefined && map !== 0n; i++, map = program.pointer(map + NEXT)) {
    const [bias, name, dynamic]: readonly (bigint | undefined)[] = [program.pointer(map), program.pointer(map + NAME), program.pointer(map + DYNAMIC)];
    if (bias !== undefined && dynamic !== undefined) entries.push({ map, bias, dynamic, nameAt: name ?? 0n });
  }
  return entries;
}

/** What the dynamic linker calls it: as it was found, symbolic links included. The program itself has no name. */
export function linkName(program: ProgramView, { nameAt }: LinkEntry): Uint8Array {
  const bytes: number[] = [];
  for (let at = nameAt; bytes.length < LONGEST_NAME; at++) {
    const byte = program.memory(at, 1)?.[0];
    if (byte === undefined || byte === 0) break;
    bytes.push(byte);
  }
  return Uint8Array.from(bytes);
}

/** The program alone if nothing is known yet, or if it is static. */
export function linkMapOrder(program: ProgramView): LoadedModule[] {
  return [...linkMap(program).keys()];
}

/** Undefined if the dynamic linker has none for it. */
export function linkEntryOf(program: ProgramView, module: LoadedModule): LinkEntry | undefined {
  return linkMap(program).get(module);
}

/** What the dynamic linker calls a library. */
export function linkedName(program: ProgramView, module: LoadedModule): string {
  const entry = linkEntryOf(program, module);
  const name = entry === undefined ? '' : new TextDecoder().decode(linkName(program, entry));
  return name === '' ? shownPath(module.path) : visible(name);
}

/** Modules in order, with their entries. */
function linkMap(program: ProgramView): Map<LoadedModule, LinkEntry | undefined> {
  const { main } = program.modules;
  if (main === undefined) return new Map();
  const order = new Map<LoadedModule, LinkEntry | undefined>([[main, undefined]]);
  for (const entry of linkEntries(program)) {
    const module = program.moduleAt(entry.dynamic);
    if (module !== undefined) order.set(module, entry);
  }
  return order;
}

function debugEntry(program: ProgramView, main: LoadedModule): bigint | undefined {
  const segment = main.file.elf.segments.find(({ type }) => type === PT.DYNAMIC);
  if (segment === undefined) return undefined;
  for (let i = 0; i < Math.min(MOST_DYNAMIC, segment.memorySize / 16); i++) {
    const at = main.bias + BigInt(segment.address + i * 16);
    const tag = program.pointer(at);
    if (tag === undefined || tag === 0n) return undefined;
    if (tag === DT_DEBUG) return program.pointer(at + 8n);
  }
  return undefined;
}
