/**
 * Allocation functions of the user's own, as he names them: `my_alloc(size), my_realloc(ptr, size) = my_free(ptr)`.
 * They are replaced by ours, as malloc is: what a pool or an arena hands out becomes blocks that are watched.
 */
import { UserError } from '../base/errors.js';
import type { LibraryFunction } from './functions.js';

interface NamedFunction {
  readonly name: string;
  readonly parameters: readonly string[];
}

const PARAMETERS: readonly string[] = ['size', 'count', 'ptr', 'alignment', '_', '.'];
const IGNORED: readonly string[] = ['_', '.'];
const MOST_PARAMETERS = 6;
const EXAMPLE = "write 'my_alloc(size)=my_free(ptr)'";

/** All that belongs to one function that frees is one family. Throws a UserError. */
export function parseAllocator(text: string): Readonly<Record<string, LibraryFunction>> {
  const sides = text.split('=');
  if (sides.length !== 2) return fail(text, EXAMPLE);
  const [allocating, freeing] = [functionsIn(text, sides[0] as string), functionsIn(text, sides[1] as string)];
  const family = (freeing[0] as NamedFunction).name;
  return Object.fromEntries([...allocating.map((f) => [f.name, allocation(text, f, family)]), ...freeing.map((f) => [f.name, deallocation(text, f, family)])]);
}

function functionsIn(text: string, side: string): NamedFunction[] {
  const found = side.split(/(?<=\))\s*,/).map((part) => {
    const match = /^\s*([\w$.]+)\s*\(([^()]*)\)\s*$/.exec(part);
    if (match === null) return fail(text, `'${part.trim()}' is no function with its parameters; ${EXAMPLE}`);
    return { name: match[1] as string, parameters: (match[2] as string).split(',').map((name) => name.trim()) };
  });
  for (const { name, parameters } of found) checkParameters(text, name, parameters);
  return found;
}

function checkParameters(text: string, name: string, parameters: readonly string[]): void {
  if (parameters.length > MOST_PARAMETERS) fail(text, `${name} has more than ${MOST_PARAMETERS} parameters; leave out those at the end`);
  for (const parameter of parameters) {
    if (!PARAMETERS.includes(parameter)) fail(text, `${name} has a parameter '${parameter}'; those that count are size, count, ptr and alignment, and _ is any other`);
    if (!IGNORED.includes(parameter) && parameters.filter((other) => other === parameter).length > 1) fail(text, `${name} has two parameters '${parameter}'`);
  }
}

function allocation(text: string, { name, parameters }: NamedFunction, family: string): LibraryFunction {
  const at = positions(parameters);
  const { size } = at;
  if (size === undefined) return fail(text, `${name} has no parameter size`);
  const count = at.count === undefined ? {} : { count: at.count };
  if (at.ptr !== undefined) return { does: 'resize', family, pointer: at.ptr, size, ...count };
  // As calloc does.
  return { does: 'allocate', family, size, ...count, ...(at.count === undefined ? {} : { zeroed: true }), ...(at.alignment === undefined ? {} : { alignment: at.alignment }) };
}

function deallocation(text: string, { name, parameters }: NamedFunction, family: string): LibraryFunction {
  const { ptr } = positions(parameters);
  return ptr === undefined ? fail(text, `${name} has no parameter ptr`) : { does: 'free', family, pointer: ptr };
}

function positions(parameters: readonly string[]): Partial<Record<'size' | 'count' | 'ptr' | 'alignment', number>> {
  return Object.fromEntries(parameters.map((name, position) => [name, position]));
}

function fail(text: string, why: string): never {
  throw new UserError(`--allocator ${text}: ${why}`);
}
