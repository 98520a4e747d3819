/** Functions of libraries that we stand in for: what they are called, what their arguments mean. */

/**
 * Memory has to be given back by a function of the family that gave it: malloc, new, new[], or one of the user's own.
 */
export type AllocationFamily = string;

export type LibraryFunction =
  /**
   * Arguments by number, from 0. `count`: the size is a product; `wholePages`: aligned to pages; `wholeSize`: of whole
   * pages; `isStrict`: the alignment has to be a power of two.
   */
  | { readonly does: 'allocate'; readonly family: AllocationFamily; readonly size: number; readonly count?: number; readonly alignment?: number; readonly zeroed?: boolean; readonly wholePages?: boolean; readonly wholeSize?: boolean; readonly isStrict?: boolean }
  | { readonly does: 'free'; readonly family: AllocationFamily; readonly pointer: number }
  | { readonly does: 'resize'; readonly family: AllocationFamily; readonly pointer: number; readonly size: number; readonly count?: number }
  /** posix_memalign(where, alignment, size). */
  | { readonly does: 'allocateInto' }
  | { readonly does: 'measure' };

const PAIR = { malloc: 'malloc', new: 'new', array: 'new[]' } as const;

const allocate = (family: AllocationFamily, size: number, more: object = {}): LibraryFunction => ({ does: 'allocate', family, size, ...more });
const free = (family: AllocationFamily): LibraryFunction => ({ does: 'free', family, pointer: 0 });

/** By the names of their symbols. */
export type AllocationFunctions = Readonly<Record<string, LibraryFunction>>;

export const LIBRARY_FUNCTIONS: AllocationFunctions = {
  malloc: allocate(PAIR.malloc, 0),
  calloc: allocate(PAIR.malloc, 1, { count: 0, zeroed: true }),
  aligned_alloc: allocate(PAIR.malloc, 1, { alignment: 0 }),
  memalign: allocate(PAIR.malloc, 1, { alignment: 0 }),
  valloc: allocate(PAIR.malloc, 0, { wholePages: true }),
  pvalloc: allocate(PAIR.malloc, 0, { wholePages: true, wholeSize: true }),
  posix_memalign: { does: 'allocateInto' },
  realloc: { does: 'resize', family: PAIR.malloc, pointer: 0, size: 1 },
  reallocarray: { does: 'resize', family: PAIR.malloc, pointer: 0, size: 2, count: 1 },
  malloc_usable_size: { does: 'measure' },
  free: free(PAIR.malloc),
  cfree: free(PAIR.malloc),
  // operator new(size_t), with nothrow_t, align_val_t, or both; the same for new[].
  _Znwm: allocate(PAIR.new, 0),
  _ZnwmRKSt9nothrow_t: allocate(PAIR.new, 0),
  _ZnwmSt11align_val_t: allocate(PAIR.new, 0, { alignment: 1 }),
  _ZnwmSt11align_val_tRKSt9nothrow_t: allocate(PAIR.new, 0, { alignment: 1 }),
  _Znam: allocate(PAIR.array, 0),
  _ZnamRKSt9nothrow_t: allocate(PAIR.array, 0),
  _ZnamSt11align_val_t: allocate(PAIR.array, 0, { alignment: 1 }),
  _ZnamSt11align_val_tRKSt9nothrow_t: allocate(PAIR.array, 0, { alignment: 1 }),
  // operator delete(void *), with size_t, nothrow_t, align_val_t; the same for delete[].
  _ZdlPv: free(PAIR.new),
  _ZdlPvm: free(PAIR.new),
  _ZdlPvRKSt9nothrow_t: free(PAIR.new),
  _ZdlPvSt11align_val_t: free(PAIR.new),
  _ZdlPvmSt11align_val_t: free(PAIR.new),
  _ZdlPvSt11align_val_tRKSt9nothrow_t: free(PAIR.new),
  _ZdaPv: free(PAIR.array),
  _ZdaPvm: free(PAIR.array),
  _ZdaPvRKSt9nothrow_t: free(PAIR.array),
  _ZdaPvSt11align_val_t: free(PAIR.array),
  _ZdaPvmSt11align_val_t: free(PAIR.array),
  _ZdaPvSt11align_val_tRKSt9nothrow_t: free(PAIR.array),
};

/** People know them by these names. */
const PLAIN_NAMES: readonly (readonly [prefix: string, name: string])[] = [
  ['_Znw', 'operator new'], ['_Zna', 'operator new[]'], ['_Zdl', 'operator delete'], ['_Zda', 'operator delete[]'],
];

export function plainName(symbol: string): string {
  return PLAIN_NAMES.find(([prefix]) => symbol.startsWith(prefix))?.[1] ?? symbol;
}
