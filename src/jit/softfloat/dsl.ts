/**
 * Writing WebAssembly functions comfortably: expressions as objects, statements as method calls.
 *
 *   helper('half', { x: 'i64' }, ['i64'], (f, { x }) => {
 *     f.if_(x.eqz(), () => f.ret(lit('i64', 0)));
 *     const y = f.let_(x.shrU(1));
 *     f.ret(y);
 *   })
 *
 * An Expr is a recipe, not a value: it is emitted wherever it is used, each time anew and with what
 * its variables hold at that point. What is expensive or must not change is bound with let_().
 */
import { assert } from '../../base/assert.js';
import type { Code, ValType } from '../../wasm/code.js';
import type { WasmOp } from '../../wasm/opcodes.js';
import type { HelperDef } from '../emit.js';

export type Operand = Expr | number | bigint;

export class Expr {
  constructor(
    readonly type: ValType,
    readonly emit: (code: Code) => void,
  ) {}

  /** `<type>.<op>` of this and another operand; literals take this expression's type. */
  op2(op: string, other: Operand, result: ValType = this.type): Expr {
    const right = operand(this.type, other);
    return new Expr(result, (code) => {
      this.emit(code);
      right.emit(code);
      code.op(`${this.type}.${op}` as WasmOp);
    });
  }

  op1(name: string, result: ValType): Expr {
    return new Expr(result, (code) => {
      this.emit(code);
      code.op(name as WasmOp);
    });
  }

  add(o: Operand): Expr { return this.op2('add', o); }
  sub(o: Operand): Expr { return this.op2('sub', o); }
  mul(o: Operand): Expr { return this.op2('mul', o); }
  div(o: Operand): Expr { return this.op2('div', o); }
  divU(o: Operand): Expr { return this.op2('div_u', o); }
  remU(o: Operand): Expr { return this.op2('rem_u', o); }
  and(o: Operand): Expr { return this.op2('and', o); }
  or(o: Operand): Expr { return this.op2('or', o); }
  xor(o: Operand): Expr { return this.op2('xor', o); }
  shl(o: Operand): Expr { return this.op2('shl', o); }
  shrU(o: Operand): Expr { return this.op2('shr_u', o); }
  shrS(o: Operand): Expr { return this.op2('shr_s', o); }
  eq(o: Operand): Expr { return this.op2('eq', o, 'i32'); }
  ne(o: Operand): Expr { return this.op2('ne', o, 'i32'); }
  lt(o: Operand): Expr { return this.op2('lt', o, 'i32'); }
  ltU(o: Operand): Expr { return this.op2('lt_u', o, 'i32'); }
  ltS(o: Operand): Expr { return this.op2('lt_s', o, 'i32'); }
  gtU(o: Operand): Expr { return this.op2('gt_u', o, 'i32'); }
  gtS(o: Operand): Expr { return this.op2('gt_s', o, 'i32'); }
  leU(o: Operand): Expr { return this.op2('le_u', o, 'i32'); }
  leS(o: Operand): Expr { return this.op2('le_s', o, 'i32'); }
  geU(o: Operand): Expr { return this.op2('ge_u', o, 'i32'); }
  geS(o: Operand): Expr { return this.op2('ge_s', o, 'i32'); }
  eqz(): Expr { return this.op1(`${this.type}.eqz`, 'i32'); }
  neg(): Expr { return lit(this.type, 0).sub(this); }
  not(): Expr { return this.xor(-1); }
  clz(): Expr { return this.op1(`${this.type}.clz`, this.type); }
  ctz(): Expr { return this.op1(`${this.type}.ctz`, this.type); }
  wrap(): Expr { return this.op1('i32.wrap_i64', 'i32'); }
  extU(): Expr { return this.op1('i64.extend_i32_u', 'i64'); }
  extS(): Expr { return this.op1('i64.extend_i32_s', 'i64'); }
  /** Bits of a float as an integer, or the other way round. */
  bits(): Expr {
    if (this.type === 'f64') return this.op1('i64.reinterpret_f64', 'i64');
    if (this.type === 'f32') return this.op1('i32.reinterpret_f32', 'i32');
    return this.type === 'i64' ? this.op1('f64.reinterpret_i64', 'f64') : this.op1('f32.reinterpret_i32', 'f32');
  }
}

export class Var extends Expr {
  constructor(
    private readonly code: Code,
    type: ValType,
    readonly index: number,
  ) {
    super(type, (c) => void c.get(index));
  }

  set(value: Operand): void {
    operand(this.type, value).emit(this.code);
    this.code.set(this.index);
  }
}

export function lit(type: ValType, value: number | bigint): Expr {
  return new Expr(type, (code) => {
    if (type === 'i32') code.i32(Number(value));
    else if (type === 'i64') code.i64(BigInt(value));
    else if (type === 'f32') code.f32(Number(value));
    else code.f64(Number(value));
  });
}

function operand(type: ValType, value: Operand): Expr {
  return value instanceof Expr ? value : lit(type, value);
}

/** condition ? a : b, both evaluated. */
export function select(condition: Expr, a: Expr, b: Operand): Expr {
  const other = operand(a.type, b);
  return new Expr(a.type, (code) => {
    a.emit(code);
    other.emit(code);
    condition.emit(code);
    code.select();
  });
}

/** Any instruction without immediates, applied to arguments. */
export function wasm(name: WasmOp, type: ValType, ...args: Expr[]): Expr {
  return new Expr(type, (code) => {
    for (const a of args) a.emit(code);
    code.op(name);
  });
}

type Shape = 'i32x4' | 'i64x2' | 'f32x4' | 'f64x2';
const LANE_TYPE: Readonly<Record<Shape, ValType>> = { i32x4: 'i32', i64x2: 'i64', f32x4: 'f32', f64x2: 'f64' };

export function lane(vector: Expr, shape: Shape, index: number): Expr {
  return new Expr(LANE_TYPE[shape], (code) => {
    vector.emit(code);
    code.lane(`${shape}.extract_lane`, index);
  });
}

export function withLane(vector: Expr, shape: Shape, index: number, value: Expr): Expr {
  return new Expr('v128', (code) => {
    vector.emit(code);
    value.emit(code);
    code.lane(`${shape}.replace_lane`, index);
  });
}

/** The same number in all lanes. */
export function splat(shape: 'f32x4' | 'f64x2', value: number): Expr {
  return wasm(`${shape}.splat`, 'v128', lit(LANE_TYPE[shape], value));
}

/** A load from a fixed address of linear memory. */
export function loadAt(address: number, type: 'i32' | 'i64' | 'v128'): Expr {
  return new Expr(type, (code) => void code.i32(address).mem(`${type}.load`, 0, 2));
}

/** A function body under construction. */
export class Fn {
  constructor(
    readonly code: Code,
    private readonly helperIndex: (name: string) => number,
  ) {}

  local(type: ValType, name?: string): Var {
    return new Var(this.code, type, this.code.local(type, name));
  }

  /** A new variable that holds the value of the expression as of now. */
  let_(value: Expr): Var {
    const v = this.local(value.type);
    v.set(value);
    return v;
  }

  if_(condition: Expr, then: () => void, otherwise?: () => void): void {
    condition.emit(this.code);
    this.code.if_();
    then();
    if (otherwise !== undefined) {
      this.code.else_();
      otherwise();
    }
    this.code.end();
  }

  while_(condition: Expr, body: () => void): void {
    const { code } = this;
    const out = code.block();
    const loop = code.loop();
    condition.eqz().emit(code);
    code.brIf(out);
    body();
    code.br(loop).end().end();
  }

  ret(...values: Expr[]): void {
    for (const v of values) v.emit(this.code);
    this.code.ret();
  }

  /** A call with one result, as an expression. */
  call(type: ValType, name: string, ...args: Expr[]): Expr {
    return new Expr(type, (code) => {
      for (const a of args) a.emit(code);
      code.call(this.helperIndex(name));
    });
  }

  /** A call whose results go into variables. */
  callInto(results: readonly Var[], name: string, ...args: Expr[]): void {
    for (const a of args) a.emit(this.code);
    this.code.call(this.helperIndex(name));
    for (let i = results.length - 1; i >= 0; i--) this.code.set((results[i] as Var).index);
  }

  storeAt(address: number, value: Expr): void {
    this.code.i32(address);
    value.emit(this.code);
    this.code.mem(`${value.type}.store` as WasmOp, 0, 2);
  }
}

type Args<P> = { readonly [K in keyof P]: Var };

/** A helper function. A body that has results must end in ret() on every path. */
export function helper<P extends Readonly<Record<string, ValType>>>(
  name: string, params: P, results: readonly ValType[], body: (f: Fn, args: Args<P>) => void,
): HelperDef {
  const names = Object.keys(params);
  const types = names.map((n) => params[n] as ValType);
  return {
    name, params: types, results,
    build(code, helperIndex) {
      assert(code.params.length === types.length, `${name}: parameters differ`);
      const f = new Fn(code, helperIndex);
      const args = Object.fromEntries(names.map((n, i) => [n, new Var(code, types[i] as ValType, i)]));
      body(f, args as Args<P>);
      if (results.length > 0) code.unreachable();
    },
  };
}
