/** Random straight-line programs give the same results built with folding and emitted one to one. */
import { expect, it } from 'vitest';
import { guestAddr } from '../base/types.js';
import { RAX, RBX } from '../layout/cpuState.js';
import type { Code } from '../wasm/code.js';
import { ModuleBuilder } from '../wasm/module.js';
import { IrBuilder } from './builder.js';
import type { Node, Value } from './ir.js';
import type { OpDef, Type } from './opDef.js';
import { OPS } from './ops.js';

const PROGRAMS = 300;
const STEPS = 12;
/** Division traps, so it is left to the lifter's tests. */
const USABLE = OPS.filter((def) => def.wasm !== null && def.result !== 'v128' && !def.params.includes('v128') && !/div|rem/.test(def.name));
const CONSTANTS = [0n, 1n, -1n, 2n, 7n, 31n, 32n, 63n, 0xffn, 0xff00n, -256n, 0xffffn, 0x7fffffffn, -0x80000000n, 0xffffffffn, -0x100000000n, (1n << 63n) - 1n, -1n << 63n];
const INPUTS = [...CONSTANTS, 0x123456789abcdefn, -0x7edcba9876543211n];

type Step = { readonly def: OpDef; readonly args: readonly number[] } | { readonly constant: bigint; readonly type: 'i32' | 'i64' };

function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Values 0 and 1 are the inputs (i64); every step makes one more. */
function randomProgram(random: (below: number) => number): Step[] {
  const types: Type[] = ['i64', 'i64'];
  const steps: Step[] = [];
  while (steps.length < STEPS) {
    if (random(3) === 0) {
      const type = random(2) === 0 ? 'i32' : 'i64';
      steps.push({ constant: CONSTANTS[random(CONSTANTS.length)]!, type });
      types.push(type);
      continue;
    }
    const def = USABLE[random(USABLE.length)]!;
    const candidates = def.params.map((type) => types.flatMap((t, i) => (t === type ? [i] : [])));
    if (candidates.some((list) => list.length === 0)) continue;
    steps.push({ def, args: candidates.map((list) => list[random(list.length)]!) });
    types.push(def.result as Type);
  }
  return steps;
}

function apply(code: Code, def: OpDef): void {
  if (def.name.endsWith('.select')) code.select();
  else code.op(def.wasm!);
}

function emitPlainly(code: Code, steps: readonly Step[]): void {
  const locals = [0, 1];
  for (const step of steps) {
    if ('constant' in step) {
      if (step.type === 'i32') code.i32(Number(BigInt.asIntN(32, step.constant)));
      else code.i64(step.constant);
      locals.push(code.local(step.type));
    } else {
      for (const arg of step.args) code.get(locals[arg]!);
      apply(code, step.def);
      locals.push(code.local(step.def.result as 'i32'));
    }
    code.set(locals.at(-1)!);
  }
  code.get(locals.at(-1)!);
}

function build(steps: readonly Step[]): { nodes: readonly Node[]; result: Value } {
  const b = new IrBuilder(guestAddr(0));
  const values: Value[] = [b.get(RAX), b.get(RBX)];
  for (const step of steps) {
    if ('constant' in step) values.push(step.type === 'i32' ? b.i32(Number(BigInt.asIntN(32, step.constant))) : b.i64(step.constant));
    else values.push(b.op(step.def.name, ...step.args.map((i) => values[i]!)));
  }
  return { nodes: b.nodes, result: values.at(-1)! };
}

function emitTree(code: Code, nodes: readonly Node[], v: Value): void {
  const node = nodes[v]!;
  const def = OPS[node.op]!;
  if (def.effect === 'get') code.get(node.imm === RAX.offset ? 0 : 1);
  else if (def.name === 'i32.const') code.i32(node.imm);
  else if (def.name === 'i64.const') code.i64(node.big);
  else {
    [node.a, node.b, node.c].slice(0, def.params.length).forEach((arg) => emitTree(code, nodes, arg));
    apply(code, def);
  }
}

it('folding changes nothing', () => {
  const random = generator(12345);
  const programs = Array.from({ length: PROGRAMS }, () => randomProgram(random));
  const module = new ModuleBuilder();
  programs.forEach((steps, i) => {
    const last = steps.at(-1)!;
    const type = 'constant' in last ? last.type : (last.def.result as 'i32');
    const plain = module.func(`plain${i}`, ['i64', 'i64'], [type]);
    emitPlainly(plain, steps);
    module.exportFunc(`plain${i}`, plain.index);
    const folded = module.func(`folded${i}`, ['i64', 'i64'], [type]);
    const { nodes, result } = build(steps);
    emitTree(folded, nodes, result);
    module.exportFunc(`folded${i}`, folded.index);
  });
  const instance = new WebAssembly.Instance(new WebAssembly.Module(module.build({})));
  const call = instance.exports as unknown as Record<string, (x: bigint, y: bigint) => number | bigint>;
  for (let i = 0; i < PROGRAMS; i++) {
    for (const x of INPUTS) {
      const y = INPUTS[random(INPUTS.length)]!;
      const expected = call[`plain${i}`]!(x, y);
      if (call[`folded${i}`]!(x, y) !== expected) expect.fail(`program ${i}: ${JSON.stringify(programs[i], (_k, v) => (typeof v === 'bigint' ? `${v}` : v?.name ?? v))} on ${x}, ${y}`);
    }
  }
});
