/**
 * Values as expressions of what registers and memory held where a node begins: small trees, of which equal ones are the
 * same object. Operations have the names and meanings of the IR's; besides, there are
 *
 *   const     a number
 *   slot      a register or a part of the flags (layout/cpuState.ts, by offset)
 *   load*     memory at an address, which includes the displacement
 *   opaque    a large expression, of which only is known where it occurs again, within a node
 *   unknown   anything, equal to nothing else
 */
import { CC, COND } from '../ir/flags.js';

export interface Expression {
  readonly id: number;
  readonly op: string;
  readonly args: readonly Expression[];
  /** The constant, the slot's offset, or the immediate of the operation. */
  readonly value: number;
  /** How many operations it has, repeated ones counted each time. */
  readonly size: number;
}

/** What is in larger ones is of no use. */
const LARGEST = 24;
const TWO_32 = 0x1_0000_0000;

export class Expressions {
  private readonly known = new Map<string, Expression>();
  private count = 0;

  constant(value: number): Expression {
    return this.intern('const', [], value);
  }

  slot(offset: number): Expression {
    return this.intern('slot', [], offset);
  }

  unknown(): Expression {
    return { id: this.count++, op: 'unknown', args: [], value: 0, size: 1 };
  }

  private opaque(): Expression {
    return { id: this.count++, op: 'opaque', args: [], value: 0, size: 1 };
  }

  make(op: string, args: readonly Expression[], value = 0): Expression {
    if (args.some((arg) => arg.op === 'unknown')) return this.unknown();
    return this.simplified(op, args, value) ?? this.intern(op, args, value);
  }

  private intern(op: string, args: readonly Expression[], value: number): Expression {
    const size = args.reduce((sum, arg) => sum + arg.size, 1);
    const key = `${op} ${value} ${args.map(({ id }) => id).join(' ')}`;
    let made = this.known.get(key);
    if (made === undefined) this.known.set(key, (made = size > LARGEST ? this.opaque() : { id: this.count++, op, args, value, size }));
    return made;
  }

  private simplified(op: string, args: readonly Expression[], value: number): Expression | undefined {
    const [a, b] = args as [Expression, Expression];
    switch (op) {
      case 'i64.add':
        if (a.op === 'const') return b.op === 'const' ? this.constant(a.value + b.value) : this.make(op, [b, a]);
        if (b.op !== 'const') return undefined;
        if (b.value === 0) return a;
        return a.op === 'i64.add' && a.args[1]?.op === 'const' ? this.make(op, [a.args[0] as Expression, this.constant(a.args[1].value + b.value)]) : undefined;
      case 'i64.sub':
        return b.op === 'const' ? this.make('i64.add', [a, this.constant(-b.value)]) : undefined;
      case 'i64.shl':
        return a.op === 'const' && b.op === 'const' ? this.constant(a.value * 2 ** b.value) : undefined;
      case 'i32.wrap_i64':
        if (a.op === 'const') return this.constant(a.value | 0);
        return a.op === 'i64.extend_i32_u' || a.op === 'i64.extend_i32_s' ? a.args[0] : undefined;
      case 'i64.extend_i32_u':
        return a.op === 'const' ? this.constant(((a.value % TWO_32) + TWO_32) % TWO_32) : undefined;
      case 'i64.extend_i32_s':
        return a.op === 'const' ? this.constant(a.value | 0) : undefined;
      case 'i32.select':
      case 'i64.select':
        return a === b ? a : undefined;
      case 'cc.cond':
        return this.comparison(value, args);
      default:
        return undefined;
    }
  }

  /** A condition on flags that a comparison has set. */
  private comparison(code: number, [kind, x, y]: readonly Expression[]): Expression | undefined {
    if (kind?.op !== 'const' || x === undefined || y === undefined) return undefined;
    const operation = kind.value >> 2;
    if (operation === CC.LOGIC) return code === COND.E || code === COND.NE ? this.make(code === COND.E ? 'i64.eq' : 'i64.ne', [x, this.constant(0)]) : undefined;
    if (operation !== CC.SUB) return undefined;
    const names: Readonly<Record<number, string>> = { [COND.B]: 'lt_u', [COND.AE]: 'ge_u', [COND.E]: 'eq', [COND.NE]: 'ne', [COND.BE]: 'le_u', [COND.A]: 'gt_u' };
    const name = names[code];
    return name === undefined ? undefined : this.make(`i64.${name}`, [x, y]);
  }
}

/** Without what only makes it wider and leaves its value: comparisons of 32 bits are those of 64 with it. */
export function withoutExtension(expression: Expression): Expression {
  let found = expression;
  while (found.op === 'i64.extend_i32_u') found = found.args[0] as Expression;
  return found;
}

/**
 * Nor what makes it narrower: compilers compare the lower half of a register whose upper half they know to be zero, and
 * take the whole as an index.
 */
export function withoutWidth(expression: Expression): Expression {
  let found = expression;
  while (found.op === 'i64.extend_i32_u' || found.op === 'i32.wrap_i64') found = found.args[0] as Expression;
  return found;
}

/** A sum of multiples, and a constant. */
export interface Sum {
  readonly constant: number;
  readonly terms: readonly { readonly factor: number; readonly of: Expression }[];
}

/** An address as such a sum. */
export function asSum(expression: Expression): Sum {
  const terms = new Map<Expression, number>();
  let constant = 0;
  const add = (part: Expression, factor: number): void => {
    const [a, b] = part.args as [Expression, Expression];
    if (part.op === 'const') constant += part.value * factor;
    else if (part.op === 'i64.add') {
      add(a, factor);
      add(b, factor);
    } else if (part.op === 'i64.shl' && b.op === 'const') add(a, factor * 2 ** b.value);
    else if (part.op === 'i64.mul' && b.op === 'const') add(a, factor * b.value);
    else terms.set(part, (terms.get(part) ?? 0) + factor);
  };
  add(expression, 1);
  return { constant, terms: [...terms].map(([of, factor]) => ({ factor, of })) };
}
