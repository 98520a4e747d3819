/**
 * The core calculus of Figure 7, with what the figure's print leaves open decided here:
 *
 *     d ::= main e | var g = v in d | fun f(x) = e in d
 *     e ::= v | x | let x = e in e | let x = salloc n in e | e; e | e e | ret z e
 *         | if0 e then e else e | malloc e | free e | *e | e := e | e +p e | e + e
 *     v ::= n | z | r | NULL
 *
 * `let x = e` and `malloc e`: the figure has a value and a number there, but the evaluation contexts of Figure 8 reduce
 * inside of both. NULL is a value of its own; the rules of Figure 2 and 8 name it, the grammar does not. The memory
 * unit is one value.
 */
import { assertNever } from '../../../base/assert.js';

/** A location, the key of the pointer map P. */
export type Loc = number;

export type CalculusValue =
  | { readonly kind: 'integer'; readonly n: number }
  | { readonly kind: 'symbol'; readonly name: string }
  | { readonly kind: 'pointer'; readonly r: Loc }
  | { readonly kind: 'null' };

export type Expression =
  | { readonly kind: 'value'; readonly value: CalculusValue }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'let'; readonly name: string; readonly bound: Expression; readonly body: Expression }
  | { readonly kind: 'salloc'; readonly name: string; readonly size: number; readonly body: Expression }
  | { readonly kind: 'sequence' | 'call' | 'assign' | 'addPointer' | 'add'; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'return'; readonly from: string; readonly operand: Expression }
  | { readonly kind: 'if0'; readonly guard: Expression; readonly zero: Expression; readonly other: Expression }
  | { readonly kind: 'malloc' | 'free' | 'deref'; readonly operand: Expression };

export interface FunctionDefinition {
  readonly name: string;
  readonly parameter: string;
  /** Ends with `ret name e`: [CALL] assumes it. */
  readonly body: Expression;
}

export interface Program {
  readonly globals: readonly { readonly name: string; readonly value: CalculusValue }[];
  readonly functions: readonly FunctionDefinition[];
  readonly main: Expression;
}

export function integer(n: number): Expression {
  return { kind: 'value', value: { kind: 'integer', n } };
}

export function valueOf(expression: Expression): CalculusValue | undefined {
  return expression.kind === 'value' ? expression.value : undefined;
}

/** e[x/v]; v is closed, so nothing can be captured. */
export function substitute(expression: Expression, name: string, value: CalculusValue): Expression {
  const inside = (inner: Expression) => substitute(inner, name, value);
  switch (expression.kind) {
    case 'value':
      return expression;
    case 'variable':
      return expression.name === name ? { kind: 'value', value } : expression;
    case 'let':
      return { ...expression, bound: inside(expression.bound), body: expression.name === name ? expression.body : inside(expression.body) };
    case 'salloc':
      return expression.name === name ? expression : { ...expression, body: inside(expression.body) };
    case 'if0':
      return { ...expression, guard: inside(expression.guard), zero: inside(expression.zero), other: inside(expression.other) };
    case 'return':
    case 'malloc':
    case 'free':
    case 'deref':
      return { ...expression, operand: inside(expression.operand) };
    default:
      return { ...expression, left: inside(expression.left), right: inside(expression.right) };
  }
}

/** All values that occur in an expression: what the rest of the program can still reach directly. */
export function* valuesIn(expression: Expression): Generator<CalculusValue> {
  switch (expression.kind) {
    case 'value':
      yield expression.value;
      break;
    case 'variable':
      break;
    case 'let':
      yield* valuesIn(expression.bound);
      yield* valuesIn(expression.body);
      break;
    case 'salloc':
      yield* valuesIn(expression.body);
      break;
    case 'if0':
      yield* valuesIn(expression.guard);
      yield* valuesIn(expression.zero);
      yield* valuesIn(expression.other);
      break;
    case 'return':
    case 'malloc':
    case 'free':
    case 'deref':
      yield* valuesIn(expression.operand);
      break;
    default:
      yield* valuesIn(expression.left);
      yield* valuesIn(expression.right);
  }
}

function printValue(value: CalculusValue): string {
  switch (value.kind) {
    case 'integer':
      return String(value.n);
    case 'symbol':
      return value.name;
    case 'pointer':
      return `r${value.r}`;
    case 'null':
      return 'NULL';
    default:
      return assertNever(value);
  }
}

export function printExpression(expression: Expression): string {
  const inner = (part: Expression) => (['value', 'variable'].includes(part.kind) ? printExpression(part) : `(${printExpression(part)})`);
  switch (expression.kind) {
    case 'value':
      return printValue(expression.value);
    case 'variable':
      return expression.name;
    case 'let':
      return `let ${expression.name} = ${printExpression(expression.bound)} in ${printExpression(expression.body)}`;
    case 'salloc':
      return `let ${expression.name} = salloc ${expression.size} in ${printExpression(expression.body)}`;
    case 'sequence':
      return `${inner(expression.left)}; ${printExpression(expression.right)}`;
    case 'call':
      return `${inner(expression.left)} ${inner(expression.right)}`;
    case 'assign':
      return `${inner(expression.left)} := ${inner(expression.right)}`;
    case 'addPointer':
      return `${inner(expression.left)} +p ${inner(expression.right)}`;
    case 'add':
      return `${inner(expression.left)} + ${inner(expression.right)}`;
    case 'return':
      return `ret ${expression.from} ${inner(expression.operand)}`;
    case 'if0':
      return `if0 ${inner(expression.guard)} then ${inner(expression.zero)} else ${inner(expression.other)}`;
    case 'deref':
      return `*${inner(expression.operand)}`;
    case 'malloc':
    case 'free':
      return `${expression.kind} ${inner(expression.operand)}`;
    default:
      return assertNever(expression);
  }
}

export function printProgram({ globals, functions, main }: Program): string {
  return [
    ...globals.map(({ name, value }) => `var ${name} = ${printValue(value)} in`),
    ...functions.map(({ name, parameter, body }) => `fun ${name}(${parameter}) = ${printExpression(body)} in`),
    `main ${printExpression(main)}`,
  ].join('\n');
}
