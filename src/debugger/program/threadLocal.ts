/**
 * Where a thread's copy of a thread-local variable is, by glibc's tables: the thread's control block points to a vector with a block
 * for each module, by a number that the dynamic linker gives out (its link_map has it, where glibc's own description says).
 */
import { PT } from '../../elf/elfHeader.js';
import type { Module } from '../../dwarf/stackFrame.js';
import { linkMapOrder } from './linkMap.js';
import type { LoadedModule } from './modules.js';
import type { ProgramView } from './programView.js';

/** In the control block at fs_base. */
const VECTOR_POINTER = 8n;
/** An entry of the vector: the block, and what to free. */
const ENTRY = 16n;
const UNALLOCATED = (1n << 64n) - 1n;

export function threadLocalAddress(program: ProgramView, module: Module, offset: bigint): bigint | undefined {
  const thread = program.register('fs_base');
  const loaded = program.modules.all.find((candidate) => candidate === module);
  if (thread === undefined || thread === 0n || loaded === undefined) return undefined;
  const number = moduleNumber(program, loaded);
  if (number === undefined) return undefined;
  const vector = program.pointer(thread + VECTOR_POINTER);
  const block = vector === undefined ? undefined : program.pointer(vector + ENTRY * BigInt(number));
  if (block !== undefined && block !== UNALLOCATED && block !== 0n) return block + offset;
  // Before the vector is made: the program's own block lies right below the control block.
  return number === 1 ? thread - blockSize(loaded) + offset : undefined;
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
