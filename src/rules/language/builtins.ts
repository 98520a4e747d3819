/**
 * Sorts of values, and the functions and predicates that rules may ask the abstract machine. One table: the checker,
 * the trackers (analysis/trackers.ts), the evaluator and docs/rules.md go by it.
 */

/**
 * `value` is what a program computes with and may be a pointer or a number; `any` is a parameter of a definition before
 * it is used. Blocks are ids that are never used twice, times are counts of instructions.
 */
export type Sort = 'pointer' | 'number' | 'block' | 'time' | 'boolean' | 'function' | 'value' | 'any';

export interface Builtin {
  readonly parameters: readonly (readonly Sort[])[];
  /** How many parameters at the end may be left out. */
  readonly optional?: number;
  readonly result: Sort;
  readonly says: string;
}

const POINTER: readonly Sort[] = ['pointer'];
const NUMBER: readonly Sort[] = ['number'];
const OF_BLOCK: readonly Sort[] = ['pointer', 'block'];

export const BUILTINS = {
  Bid: { parameters: [POINTER], result: 'block', says: 'the block that r points into, or was derived from' },
  Idx: { parameters: [POINTER], result: 'number', says: "r's offset in its block, negative before it" },
  Begin: { parameters: [OF_BLOCK], result: 'pointer', says: 'the first byte of the block' },
  End: { parameters: [OF_BLOCK], result: 'pointer', says: 'the first byte after the block' },
  Size: { parameters: [OF_BLOCK], result: 'number', says: 'the size of the block in bytes' },
  Time: { parameters: [OF_BLOCK], result: 'time', says: 'when the block was allocated' },
  FreeTime: { parameters: [OF_BLOCK], result: 'time', says: 'when the block was freed' },
  Allocator: { parameters: [OF_BLOCK], result: 'function', says: 'the function that allocated the block' },
  Deallocator: { parameters: [OF_BLOCK], result: 'function', says: 'the function that freed the block' },
  Family: { parameters: [['function']], result: 'function', says: 'the family of allocation functions that f belongs to: malloc, new, new[], or the user\'s' },
  Block: { parameters: [OF_BLOCK], result: 'number', says: 'the contents of the block, as one little-endian number' },
  Value: { parameters: [POINTER, NUMBER], optional: 1, result: 'value', says: 'the byte at r, or the n bytes at r' },
  Length: { parameters: [POINTER], result: 'number', says: 'the length of the string at r' },
  Compared: { parameters: [POINTER, POINTER, NUMBER], optional: 1, result: 'number', says: 'how many bytes of two strings (at most n) one has to look at to compare them: up to the first that differs, or the end' },
  ComparedBytes: { parameters: [POINTER, POINTER, NUMBER], result: 'number', says: 'how many of n bytes one has to look at to compare them: up to the first that differs' },
  Searched: { parameters: [POINTER, NUMBER, NUMBER], optional: 1, result: 'number', says: 'how many bytes of the string at r (at most n) one has to look at to find the byte c: up to it, or the end' },
  Int: { parameters: [['number', 'value']], result: 'number', says: 'the lower 32 bits of v as a signed number: an argument of type int' },
  Long: { parameters: [['number', 'value']], result: 'number', says: 'the lower 64 bits of v as a signed number' },
  ReturnSlot: { parameters: [], result: 'pointer', says: 'where the current function keeps its return address' },
  ReturnAddress: { parameters: [], result: 'pointer', says: 'where the current function was called from' },
  Callee: { parameters: [], result: 'function', says: 'at call and ret: the function' },
  Origin: { parameters: [], result: 'pointer', says: 'at use: where the uninitialised byte was read that the value comes from' },
  Now: { parameters: [], result: 'time', says: 'the time of the detection point' },
  Initialized: { parameters: [POINTER, NUMBER], optional: 1, result: 'boolean', says: 'the byte at r (all n bytes) was written since its block was allocated' },
  Accessible: { parameters: [POINTER, NUMBER], optional: 1, result: 'boolean', says: 'the byte at r (all n bytes) may be accessed: a live block, or memory that is no block' },
  Defined: { parameters: [['value']], result: 'boolean', says: 'no bit of v comes from uninitialised memory' },
  IsHeap: { parameters: [OF_BLOCK], result: 'boolean', says: 'the block came from an allocation function, live or freed' },
  IsStack: { parameters: [OF_BLOCK], result: 'boolean', says: 'the block is a local variable, live or of a function that has returned' },
  IsGlobal: { parameters: [OF_BLOCK], result: 'boolean', says: 'the block is a global variable' },
  Reachable: { parameters: [OF_BLOCK], result: 'boolean', says: 'a chain of pointers leads from registers, stack or globals to the block' },
} as const satisfies Readonly<Record<string, Builtin>>;

export type BuiltinName = keyof typeof BUILTINS;

export function builtin(name: string): Builtin | undefined {
  return Object.hasOwn(BUILTINS, name) ? BUILTINS[name as BuiltinName] : undefined;
}

export function isBuiltin(name: string): name is BuiltinName {
  return Object.hasOwn(BUILTINS, name);
}

/** Whether a value of one sort may stand where the other is wanted. */
export function fits(actual: Sort, wanted: Sort): boolean {
  if (actual === wanted || actual === 'any' || wanted === 'any') return true;
  const loose = (sort: Sort) => sort === 'pointer' || sort === 'number' || sort === 'value';
  return (actual === 'value' || wanted === 'value') && loose(actual) && loose(wanted);
}

/** The more precise of two that fit. */
export function narrower(a: Sort, b: Sort): Sort {
  return a === 'any' || a === 'value' ? b : a;
}

/**
 * What the fields of events are, after time and kind. A call has the function and as many arguments as one likes to
 * match.
 */
export const EVENT_FIELDS: Readonly<Record<string, readonly { readonly name: string; readonly sort: Sort }[]>> = {
  write: [{ name: 'pointer', sort: 'pointer' }, { name: 'value', sort: 'value' }, { name: 'origin', sort: 'pointer' }],
  branch: [{ name: 'value', sort: 'value' }],
  malloc: [{ name: 'size', sort: 'number' }, { name: 'bid', sort: 'block' }],
  free: [{ name: 'pointer', sort: 'pointer' }, { name: 'bid', sort: 'block' }],
  call: [{ name: 'callee', sort: 'function' }, ...['arg0', 'arg1', 'arg2', 'arg3', 'arg4', 'arg5'].map((name) => ({ name, sort: 'value' as const }))],
  ret: [{ name: 'callee', sort: 'function' }, { name: 'value', sort: 'value' }],
};
