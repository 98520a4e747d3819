/** What the x87 helpers need beyond softfloat/dsl.ts: computed addresses, a switch, positional parameters. */
import type { Code, ValType } from '../../wasm/code.js';
import type { HelperDef } from '../emit.js';
import { Expr, Fn, lit, type Operand, Var } from '../softfloat/dsl.js';

export { Expr, Fn, type Operand, select, Var } from '../softfloat/dsl.js';

export const i32 = (value: number): Expr => lit('i32', value);
export const i64 = (value: bigint): Expr => lit('i64', value);

const asExpr = (type: ValType, value: Operand): Expr => (value instanceof Expr ? value : lit(type, value));

/** Memory at address + offset. */
export function load(op: 'i32.load' | 'i64.load' | 'i32.load16_u', address: Operand, offset: number): Expr {
  const base = asExpr('i32', address);
  return new Expr(op === 'i64.load' ? 'i64' : 'i32', (code: Code) => {
    base.emit(code);
    code.mem(op, offset);
  });
}

export function store(f: Fn, op: 'i32.store' | 'i64.store', address: Operand, offset: number, value: Operand): void {
  asExpr('i32', address).emit(f.code);
  asExpr(op === 'i64.store' ? 'i64' : 'i32', value).emit(f.code);
  f.code.mem(op, offset);
}

/** Runs the case with the number of `value`; the last for all others. */
export function switch_(f: Fn, value: Expr, cases: readonly (() => void)[]): void {
  const { code } = f;
  const out = code.block();
  const labels = cases.map(() => code.block()).reverse();
  value.emit(code);
  code.brTable(labels.slice(0, -1), labels[labels.length - 1] ?? out);
  for (const body of cases) {
    code.end();
    body();
    code.br(out);
  }
  code.end();
}

/** A helper whose parameters arrive in order. A body that has results must end in ret() on every path. */
export function defineHelper(
  name: string,
  params: readonly ValType[],
  results: readonly ValType[],
  body: (f: Fn, ...params: Var[]) => void,
): HelperDef {
  return {
    name, params, results,
    build(code, helper) {
      body(new Fn(code, helper), ...params.map((type, i) => new Var(code, type, i)));
      if (results.length > 0) code.unreachable();
    },
  };
}
