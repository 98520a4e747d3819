/** The dynamic linker's list of what it has loaded, in its order: by the debugger's entry (DT_DEBUG) of the program. */
import { shownPath } from '../../host/bytePath.js';
import { visible } from '../../base/visible.js';
import { PT } from '../../elf/elfHeader.js';
import type { LoadedModule } from './modules.js';
import type { ProgramView } from './programView.js';

const DT_DEBUG = 21n;
/** r_debug: version, then the first link_map. link_map: l_addr, l_name, l_ld, l_next. */
const FIRST_MAP = 8n;
const [NAME, DYNAMIC, NEXT] = [8n, 16n, 24n];
const LONGEST_NAME = 4096;
/** A list that is longer is damaged. */
const MOST = 10_000;
const MOST_DYNAMIC = 200;

/** The program alone if nothing is known yet, or if it is static. */
export function linkMapOrder(program: ProgramView): LoadedModule[] {
  return [...linkMap(program).keys()];
}

/** What the dynamic linker calls a library: as it was found, symbolic links included. */
export function linkedName(program: ProgramView, module: LoadedModule): string {
  const at = linkMap(program).get(module);
  const name = at === undefined ? undefined : program.pointer(at + NAME);
  const text = name === undefined ? '' : textAt(program, name);
  return text === '' ? shownPath(module.path) : visible(text);
}

function textAt(program: ProgramView, address: bigint): string {
  const bytes: number[] = [];
  for (let at = address; bytes.length < LONGEST_NAME; at++) {
    const byte = program.memory(at, 1)?.[0];
    if (byte === undefined || byte === 0) break;
    bytes.push(byte);
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

/** Modules in order, with the addresses of their entries; 0 if there is none. */
function linkMap(program: ProgramView): Map<LoadedModule, bigint> {
  const { main } = program.modules;
  if (main === undefined) return new Map();
  const order = new Map<LoadedModule, bigint>([[main, 0n]]);
  const debug = debugEntry(program, main);
  let map = debug === undefined || debug === 0n ? undefined : program.pointer(debug + FIRST_MAP);
  for (let i = 0; i < MOST && map !== undefined && map !== 0n; i++, map = program.pointer(map + NEXT)) {
    const dynamic = program.pointer(map + DYNAMIC);
    const module = dynamic === undefined ? undefined : program.moduleAt(dynamic);
    if (module !== undefined && module !== main) order.set(module, map);
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
