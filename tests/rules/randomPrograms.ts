/**
 * Random programs of the calculus that get somewhere: a program is a list of small instructions over the variables so
 * far, most of which are sensible (write what was allocated, stay in bounds, free once) and some of which are not. A
 * purely random tree would be stuck after two steps.
 */
import fc from 'fast-check';
import { integer, type Expression, type FunctionDefinition, type Program } from '../../src/rules/testing/calculus/syntax.js';

/** What to do, and three numbers to choose variables, offsets and values with. */
type Instruction = readonly [operation: number, a: number, b: number, c: number];

interface Variable {
  readonly name: string;
  readonly kind: 'pointer' | 'number' | 'any';
  /** What is thought to be allocated behind it. */
  readonly size: number;
  /**
   * Whether it is thought to be what malloc returned. Its aliases are not told when it is freed: that is where bugs
   * come from.
   */
  readonly heap: 'block' | 'freed' | 'no';
}

const variable = (name: string): Expression => ({ kind: 'variable', name });
const NULL: Expression = { kind: 'value', value: { kind: 'null' } };

class Builder {
  private count = 0;

  constructor(
    private readonly instructions: readonly Instruction[],
    private readonly functions: readonly string[],
    private readonly prefix: string,
  ) {}

  /** The instructions from `at` on, then `last`. */
  build(at: number, end: number, scope: readonly Variable[], last: (scope: readonly Variable[]) => Expression): Expression {
    const instruction = this.instructions[at];
    if (instruction === undefined || at >= end) return last(scope);
    const rest = (next: readonly Variable[]) => this.build(at + 1, end, next, last);
    const [operation, a, b, c] = instruction;
    const bind = (bound: Expression, kind: Variable['kind'], size: number, heap: Variable['heap'] = 'no'): Expression => {
      const name = this.fresh();
      return { kind: 'let', name, bound, body: rest([...scope, { name, kind, size, heap }]) };
    };
    const then = (first: Expression): Expression => ({ kind: 'sequence', left: first, right: rest(scope) });
    const careful = c % 5 !== 1;
    const pointer = pick(scope.filter((one) => one.kind === 'pointer' && !(careful && one.heap === 'freed')), a);
    const any = pick(scope.filter((one) => one.kind !== 'number'), a);
    switch (operation) {
      case 0:
      case 1:
        return this.allocated(at, end, scope, last, a % 4, b);
      case 2: {
        const name = this.fresh();
        const size = 1 + (a % 3);
        const inner: Variable = { name, kind: 'pointer', size, heap: 'no' };
        return { kind: 'salloc', name, size, body: { kind: 'sequence', left: { kind: 'assign', left: variable(name), right: integer(b) }, right: rest([...scope, inner]) } };
      }
      case 3:
      case 13:
        return this.freed(scope, careful ? pick(scope.filter((one) => one.heap === 'block'), a) : any, rest);
      case 4:
      case 5:
        return pointer === undefined ? rest(scope) : then({ kind: 'assign', left: inside(pointer, b, c), right: this.stored(scope, c) });
      case 6:
      case 7:
        return pointer === undefined ? bind(integer(a), 'number', 0) : bind({ kind: 'deref', operand: inside(b % 11 === 0 ? any! : pointer, b, c) }, 'any', 1);
      case 8:
        return pointer === undefined ? rest(scope) : bind({ kind: 'addPointer', left: variable(pointer.name), right: integer((b % 6) - 1) }, 'pointer', Math.max(0, pointer.size - (b % 6) + 1));
      case 9:
        return pointer === undefined ? rest(scope) : bind(variable(pointer.name), pointer.kind, pointer.size, pointer.heap);
      case 10:
        return this.branched(at, end, scope, last, a, b);
      case 11: {
        const callee = this.functions[b % Math.max(1, this.functions.length)];
        if (callee === undefined) return rest(scope);
        return bind({ kind: 'call', left: { kind: 'value', value: { kind: 'symbol', name: callee } }, right: pointer === undefined ? integer(b) : variable(pointer.name) }, c % 2 === 0 ? 'pointer' : 'any', 1);
      }
      case 12:
        return c % 4 === 0 ? bind(NULL, b % 2 === 0 ? 'pointer' : 'any', 0, b % 4 === 1 ? 'block' : 'no') : bind({ kind: 'add', left: integer(a), right: integer(b) }, 'number', 0);
      default:
        return rest(scope);
    }
  }

  private fresh(): string {
    return `${this.prefix}${this.count++}`;
  }

  private freed(scope: readonly Variable[], pointer: Variable | undefined, rest: (scope: readonly Variable[]) => Expression): Expression {
    if (pointer === undefined) return rest(scope);
    const after = scope.map((one): Variable => (one.name === pointer.name ? { ...one, heap: 'freed' } : one));
    return { kind: 'sequence', left: { kind: 'free', operand: variable(pointer.name) }, right: rest(after) };
  }

  /** malloc, usually followed by writing all or the first of its cells. */
  private allocated(at: number, end: number, scope: readonly Variable[], last: (scope: readonly Variable[]) => Expression, size: number, b: number): Expression {
    const name = this.fresh();
    let body = this.build(at + 1, end, [...scope, { name, kind: 'pointer', size, heap: 'block' }], last);
    const cells = b % 3 === 0 ? 0 : b % 3 === 1 ? Math.min(1, size) : size;
    for (let i = cells - 1; i >= 0; i--) body = { kind: 'sequence', left: { kind: 'assign', left: { kind: 'addPointer', left: variable(name), right: integer(i) }, right: integer(i + b) }, right: body };
    return { kind: 'let', name, bound: { kind: 'malloc', operand: integer(size) }, body };
  }

  /** Two or three instructions on each side, then both go on with the rest: the number of paths stays small. */
  private branched(at: number, end: number, scope: readonly Variable[], last: (scope: readonly Variable[]) => Expression, a: number, b: number): Expression {
    const chosen = pick(scope, a);
    const guard = chosen === undefined || b % 3 === 0 ? integer(b % 2) : variable(chosen.name);
    const unit = () => integer(0);
    const zero = this.build(at + 1, Math.min(end, at + 2), scope, unit);
    const other = this.build(at + 2, Math.min(end, at + 4), scope, unit);
    return { kind: 'sequence', left: { kind: 'if0', guard, zero, other }, right: this.build(at + 4, end, scope, last) };
  }

  private stored(scope: readonly Variable[], c: number): Expression {
    const chosen = pick(scope, c >> 1);
    return chosen === undefined || c % 2 === 0 ? integer(c) : variable(chosen.name);
  }
}

function pick<T>(from: readonly T[], choice: number): T | undefined {
  // Rather what is new: it is less likely to be freed.
  return from.length === 0 ? undefined : from[from.length - 1 - (choice % Math.min(from.length, 5))];
}

/** Mostly inside of what is thought to be there; one in eight times anywhere near. */
function inside(pointer: Variable, b: number, c: number): Expression {
  const offset = c % 8 === 0 ? (b % 7) - 2 : pointer.size > 0 ? b % pointer.size : 0;
  return offset === 0 ? variable(pointer.name) : { kind: 'addPointer', left: variable(pointer.name), right: integer(offset) };
}

const instruction = fc.tuple(fc.nat(13), fc.nat(23), fc.nat(23), fc.nat(23));
const GLOBALS: readonly Variable[] = [{ name: 'g', kind: 'pointer', size: 1, heap: 'no' }];

function functionOf(name: string, instructions: readonly Instruction[], callable: readonly string[]): FunctionDefinition {
  const builder = new Builder(instructions, callable, `${name}_`);
  const scope: readonly Variable[] = [...GLOBALS, { name: 'x', kind: 'pointer', size: 1, heap: 'no' }];
  // Returns its argument, a local's address or a number.
  const last = (variables: readonly Variable[]): Expression => {
    const choice = instructions.length % 3;
    const operand = choice === 0 ? integer(instructions.length) : choice === 1 ? ({ kind: 'deref', operand: variable('x') } as const) : variable(variables.at(-1)!.name);
    return { kind: 'return', from: name, operand };
  };
  return { name, parameter: 'x', body: builder.build(0, instructions.length, scope, last) };
}

export const randomProgram: fc.Arbitrary<Program> = fc
  .tuple(fc.array(instruction, { minLength: 4, maxLength: 40, size: 'max' }), fc.array(instruction, { maxLength: 8 }), fc.array(instruction, { maxLength: 8 }))
  .map(([main, first, second]) => ({
    globals: [{ name: 'g', value: { kind: 'integer', n: 7 } }],
    functions: [functionOf('f', first, []), functionOf('h', second, ['f'])],
    main: new Builder(main, ['f', 'h'], 'm').build(0, main.length, GLOBALS, (scope) => (scope.length > 3 ? { kind: 'deref', operand: variable('g') } : integer(0))),
  }));
