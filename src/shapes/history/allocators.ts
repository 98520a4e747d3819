/**
 * Functions of the program that allocate and free memory, where they begin: those of libraries by their names, those
 * that the user names, and functions that only pass on what another one has allocated.
 */
import { UserError } from '../../base/errors.js';
import { parseAllocator } from '../../check/customAllocators.js';
import { LIBRARY_FUNCTIONS, type LibraryFunction } from '../../check/functions.js';
import type { ProgramView } from '../../debugger/program/programView.js';

/**
 * What a call does. `pass on`: its result is a block that was allocated in it; `hand out`: of a size that is not known.
 */
export type AllocatorRole = LibraryFunction | { readonly does: 'pass on' } | { readonly does: 'hand out' };

/** It has functions of the same names for itself. */
const DYNAMIC_LINKER = /\/ld[-.][^/]*$/;

export type Allocators = Map<number, AllocatorRole>;

/** `named`: as --allocator has them, or names of functions alone. */
export function allocatorsOf(view: ProgramView, named: readonly string[]): Allocators {
  const found: Allocators = new Map();
  const custom = Object.assign({}, ...named.map(rolesOf)) as Readonly<Record<string, AllocatorRole>>;
  for (const [name, role] of Object.entries({ ...LIBRARY_FUNCTIONS, ...custom })) {
    if (role.does === 'measure') continue;
    const addresses = entriesOf(view, name);
    if (addresses.length === 0 && name in custom) throw new UserError(`there is no function ${name} in the program; --allocator names functions that allocate`);
    for (const address of addresses) found.set(address, role);
  }
  return found;
}

function rolesOf(text: string): Readonly<Record<string, AllocatorRole>> {
  return /^[\w$.:]+$/.test(text) ? { [text]: { does: 'hand out' } } : parseAllocator(text);
}

/** First instructions of functions of that name. */
export function entriesOf(view: ProgramView, name: string): number[] {
  const symbols = view.symbols.named(name).filter(({ kind, module }) => kind === 'function' && !DYNAMIC_LINKER.test(module.path)).map(({ address }) => Number(address));
  return [...new Set(symbols)];
}
