/**
 * Where a thread's copy of a thread-local variable is. The thread's control block points to a vector with a block for
 * each module, by a number that the dynamic linker gives out. glibc describes its tables for debuggers, in symbols
 * called `_thread_db_*`; without these the modules are counted, and the vector is where it has always been.
 */
import { PT } from '../../elf/elfHeader.js';
import type { Module } from '../../dwarf/stackFrame.js';
import { linkEntryOf, linkMapOrder } from './linkMap.js';
import type { LoadedModule, ModuleList } from './modules.js';
import type { ProgramView } from './programView.js';

/** In the control block at fs_base. */
const VECTOR_POINTER = 8n;
/** An entry of the vector: the block, and what to free. */
const ENTRY = 16n;
/** Of an entry that has not been made, and of a module without a fixed place. */
const UNALLOCATED = (1n << 64n) - 1n;

export function threadLocalAddress(program: ProgramView, module: Module, offset: bigint): bigint | undefined {
  const loaded = program.modules.all.find((candidate) => candidate === module);
  const entry = loaded === undefined ? undefined : linkEntryOf(program, loaded);
  const described = entry === undefined ? undefined : threadLocalBlock(program, entry.map);
  const block = described ?? (loaded === undefined ? undefined : countedBlock(program, loaded));
  return block === undefined ? undefined : block + offset;
}

/** The thread's block of the module that has this `struct link_map`. Undefined if it has none, or none yet. */
export function threadLocalBlock(program: ProgramView, linkMap: bigint): bigint | undefined {
  const control = program.register('fs_base');
  const number = described(program, linkMap, '_thread_db_link_map_l_tls_modid');
  if (control === undefined || control === 0n || number === undefined || number === 0n) return undefined;
  const vector = described(program, control, '_thread_db_pthread_dtvp');
  const block = vector === undefined ? undefined : inVector(program, vector, number);
  if (block !== undefined) return block;
  // Blocks of what was loaded with the program lie at fixed places below the control block.
  const distance = described(program, linkMap, '_thread_db_link_map_l_tls_offset');
  return distance === undefined || distance === 0n || distance === UNALLOCATED ? undefined : control - distance;
}

function inVector(program: ProgramView, vector: bigint, number: bigint): bigint | undefined {
  const block = program.pointer(vector + ENTRY * number);
  return block === UNALLOCATED || block === 0n ? undefined : block;
}

/** A field of a structure, by its description: bits, count, offset. */
function described(program: ProgramView, structure: bigint, description: string): bigint | undefined {
  const at = descriptionAt(program.modules, description);
  const words = at === undefined ? undefined : program.memory(at, 12);
  if (words === undefined) return undefined;
  const view = new DataView(words.buffer, words.byteOffset, words.length);
  const [bits, offset] = [view.getUint32(0, true), view.getUint32(8, true)];
  const bytes = bits > 64 ? undefined : program.memory(structure + BigInt(offset), bits / 8);
  return bytes?.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}

/** To look for a name takes long in a file with many. */
const descriptions = new WeakMap<ModuleList, Map<string, bigint | undefined>>();

function descriptionAt(modules: ModuleList, name: string): bigint | undefined {
  const known = descriptions.get(modules) ?? new Map<string, bigint | undefined>();
  descriptions.set(modules, known);
  if (!known.has(name)) known.set(name, findDescription(modules, name));
  return known.get(name);
}

/** The C library is among the last by addresses, if it is not a part of the program. */
function findDescription({ all }: ModuleList, name: string): bigint | undefined {
  for (const { file, bias } of all.toReversed()) {
    const symbol = file.symbolNamed(name);
    if (symbol !== undefined) return BigInt(symbol.address) + bias;
  }
  return undefined;
}

function countedBlock(program: ProgramView, module: LoadedModule): bigint | undefined {
  const thread = program.register('fs_base');
  const number = thread === undefined || thread === 0n ? undefined : moduleNumber(program, module);
  if (thread === undefined || number === undefined) return undefined;
  const vector = program.pointer(thread + VECTOR_POINTER);
  const block = vector === undefined ? undefined : inVector(program, vector, BigInt(number));
  if (block !== undefined) return block;
  // Before the vector is made: the program's own block lies right below the control block.
  return number === 1 ? thread - blockSize(module) : undefined;
}

/** Blocks are numbered in the order in which modules that have one were loaded, the program's own first. */
function moduleNumber(program: ProgramView, module: LoadedModule): number | undefined {
  if (!hasBlock(module)) return undefined;
  const order = linkMapOrder(program).filter(hasBlock);
  const place = order.indexOf(module);
  if (place >= 0) return place + 1;
  return module === program.modules.main ? 1 : undefined;
}

function hasBlock({ file }: LoadedModule): boolean {
  return file.elf.segments.some((segment) => segment.type === PT.TLS && segment.memorySize > 0);
}

function blockSize({ file }: LoadedModule): bigint {
  const segment = file.elf.segments.find(({ type }) => type === PT.TLS);
  const align = segment?.align || 1;
  return BigInt(Math.ceil((segment?.memorySize ?? 0) / align) * align);
}
