/**
 * Builds what computes shadow: ones for the bits of a value that have some. NONE in the place of shadow says that there
 * is none, whatever the program does, and nothing is computed from it.
 */
import type { IrBuilder } from '../builder.js';
import { NONE, type Value } from '../ir.js';
import type { Type } from '../opDef.js';

export type Scalar = 'i32' | 'i64';

const NO_BYTES = new Uint8Array(16);
const ALL_BYTES = new Uint8Array(16).fill(0xff);

export class ShadowMath {
  constructor(readonly b: IrBuilder) {}

  zero(type: Type): Value {
    return type === 'i32' ? this.b.i32(0) : type === 'i64' ? this.b.i64(0) : this.b.v128(NO_BYTES);
  }

  ones(type: Type): Value {
    return type === 'i32' ? this.b.i32(-1) : type === 'i64' ? this.b.i64(-1) : this.b.v128(ALL_BYTES);
  }

  /** Shadow as a value. */
  made(type: Type, shadow: Value): Value {
    return shadow === NONE ? this.zero(type) : shadow;
  }

  op(type: Type, name: string, x: Value, y: Value = NONE): Value {
    return this.b.op(`${type}.${name}`, x, y);
  }

  not(type: Type, x: Value): Value {
    return type === 'v128' ? this.b.op('v128.not', x) : this.op(type, 'xor', x, this.ones(type));
  }

  or(type: Type, p: Value, q: Value): Value {
    if (p === NONE || p === q) return q;
    return q === NONE ? p : this.op(type, 'or', p, q);
  }

  /** As far as the value has ones. */
  and(type: Type, p: Value, value: Value): Value {
    return p === NONE ? NONE : this.op(type, 'and', p, value);
  }

  /** As far as it has zeros. */
  andNot(type: Type, p: Value, value: Value): Value {
    if (p === NONE) return NONE;
    return type === 'v128' ? this.op(type, 'andnot', p, value) : this.op(type, 'and', p, this.not(type, value));
  }

  /** Of x without the bits that have shadow; and with all of them. */
  least(type: Type, x: Value, p: Value): Value {
    return p === NONE ? x : this.op(type, 'and', x, this.not(type, p));
  }

  most(type: Type, x: Value, p: Value): Value {
    return p === NONE ? x : this.op(type, 'or', x, p);
  }

  /** 1 if there is some, as an i32. */
  isSome(type: Type, p: Value): Value {
    if (p === NONE) return NONE;
    return type === 'v128' ? this.b.op('v128.any_true', p) : this.op(type, 'ne', p, this.zero(type));
  }

  /** All bits if the i32, which is 0 or 1, says so. */
  allIf(type: Type, isSome: Value): Value {
    if (isSome === NONE) return NONE;
    if (type === 'i32') return this.op('i32', 'sub', this.b.i32(0), isSome);
    const all = this.op('i64', 'sub', this.b.i64(0), this.b.extend(isSome));
    return type === 'i64' ? all : this.b.op('i64x2.splat', all);
  }

  all(type: Type, p: Value): Value {
    return this.allIf(type, this.isSome(type, p));
  }

  lowest(type: Scalar, x: Value): Value {
    return this.op(type, 'and', x, this.op(type, 'sub', this.zero(type), x));
  }

  /** From the lowest bit on: where carries go. */
  leftOf(type: Scalar, p: Value): Value {
    return p === NONE ? NONE : this.op(type, 'or', p, this.op(type, 'sub', this.zero(type), p));
  }

  select(type: Type, x: Value, y: Value, condition: Value): Value {
    return this.b.op(`${type}.select`, x, y, condition);
  }

  /** Whether a comparison for equality has shadow: not if bits differ that have none. */
  equality(type: Scalar, x: Value, p: Value, y: Value, q: Value): Value {
    const either = this.or(type, p, q);
    if (either === NONE) return NONE;
    const differing = this.andNot(type, this.op(type, 'xor', x, y), either);
    return this.op('i32', 'and', this.isSome(type, either), this.op(type, 'eqz', differing));
  }

  /** The same of a comparison by order, without signs: not if all values that they can have give the same answer. */
  order(type: Scalar, holds: string, x: Value, p: Value, y: Value, q: Value): Value {
    if (p === NONE && q === NONE) return NONE;
    const [one, other] = [this.op(type, holds, this.least(type, x, p), this.most(type, y, q)), this.op(type, holds, this.most(type, x, p), this.least(type, y, q))];
    return this.op('i32', 'ne', one, other);
  }
}
