/**
 * Every x87 instruction, through lifter and both tiers of the engine, against the CPU that we run
 * on: random and extreme operands, all precisions, roundings and masks, empty and full stacks.
 */
import { describe, expect, it } from 'vitest';
import { guestAddr } from '../base/types.js';
import { ccOp, flagsFromState } from '../ir/flags.js';
import { CC_OP, CC_X, CC_Y, CC_Z, RAX, RDI, RDX, RSI, RSP } from '../layout/cpuState.js';
import { AddressSpace, anonymousMapping, PROT } from './addressSpace.js';
import { Cpu } from './cpu.js';
import { Engine } from './engine.js';
import { LinearMemory } from './linearMemory.js';
import { arithmeticForms, controlForms, moveForms, randomCase, transcendentalForms, type X87Form } from './x87Cases.js';
import { IMAGE_BYTES, runOnX87, type X87Case, type X87Outcome } from './x87Oracle.js';

const CASES = Number(process.env['CULPRIT_X87_CASES'] ?? 24);
const CODE = guestAddr(0x400000);
const DATA = guestAddr(0x500000);
const [IMAGE_IN, IMAGE_OUT, OPERAND] = [DATA, DATA + 0x200, DATA + 0x400];

/** An engine that knows a set of instructions, each between frstor and fnsave. */
class Bench {
  private readonly linear = new LinearMemory();
  private readonly space = new AddressSpace(this.linear);
  private readonly cpu = new Cpu(this.linear);
  private readonly engine: Engine;
  private readonly addresses = new Map<string, number>();
  private end = CODE as number;

  constructor(compiled: boolean) {
    this.space.map(anonymousMapping({ start: CODE, end: guestAddr(CODE + 0x10000), prot: PROT.READ | PROT.EXEC }));
    this.space.map(anonymousMapping({ start: DATA, end: guestAddr(DATA + 8192), prot: PROT.READ | PROT.WRITE }));
    this.engine = new Engine(this.linear, this.cpu, this.space, { hotThreshold: 1, noCompiler: !compiled });
  }

  add(code: readonly number[]): void {
    const key = code.join();
    if (this.addresses.has(key)) return;
    // frstor [rdi]; instruction; fnsave [rsi]; int3
    const bytes = Uint8Array.from([0xdd, 0x27, ...code, 0xdd, 0x36, 0xcc]);
    this.space.poke(guestAddr(this.end), bytes);
    this.addresses.set(key, this.end);
    this.end += bytes.length;
  }

  run(c: X87Case): X87Outcome {
    const { cpu, space } = this;
    space.poke(guestAddr(IMAGE_IN), c.image);
    space.poke(guestAddr(OPERAND), c.operand);
    cpu.rip = guestAddr(this.addresses.get(c.code.join()) as number);
    cpu.setNum(RAX, 0);
    cpu.setNum(RDI, IMAGE_IN);
    cpu.setNum(RSI, IMAGE_OUT);
    cpu.setNum(RDX, OPERAND);
    cpu.setNum(RSP, DATA + 4096);
    cpu.setI32(CC_OP, ccOp('FLAGS', 4));
    cpu.setNum(CC_X, c.flags);
    const stop = this.engine.run(1_000_000);
    expect(stop, `${hex(c.code)}`).toMatchObject({ kind: 'trap', vector: 3 });
    return {
      image: space.peek(guestAddr(IMAGE_OUT), IMAGE_BYTES) as Uint8Array,
      operand: space.peek(guestAddr(OPERAND), 16) as Uint8Array,
      flags: flagsFromState(cpu.lo(CC_OP), cpu.big(CC_X), cpu.big(CC_Y), cpu.big(CC_Z)),
      ax: cpu.lo(RAX) & 0xffff,
    };
  }
}

const hex = (bytes: ArrayLike<number>): string => Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('');

/** What we compare, as text: all but the addresses of instruction and operand. */
function describeOutcome(o: X87Outcome): string {
  const view = new DataView(o.image.buffer, o.image.byteOffset, o.image.length);
  const word = (i: number): string => (view.getUint32(i * 4, true) >>> 0).toString(16);
  const registers = Array.from({ length: 8 }, (_, i) =>
    `${view.getUint16(36 + 10 * i, true).toString(16)}:${view.getBigUint64(28 + 10 * i, true).toString(16)}`);
  return `cw ${word(0)} sw ${word(1)} tw ${word(2)} cs ${word(4)} fl ${o.flags.toString(16)} ax ${o.ax.toString(16)} st ${registers.join(' ')} m ${hex(o.operand)}`;
}

interface Difference {
  readonly text: string;
  readonly name: string;
}

function differences(forms: readonly X87Form[], compiled: boolean): { all: Difference[]; cases: number } {
  const cases: X87Case[] = [];
  const names: string[] = [];
  for (const form of forms) {
    for (let i = 0; i < CASES; i++) {
      cases.push(randomCase(form));
      names.push(form.name);
    }
  }
  const bench = new Bench(compiled);
  for (const c of cases) bench.add(c.code);
  const all: Difference[] = [];
  runOnX87(cases).forEach((expected, i) => {
    const c = cases[i] as X87Case;
    const want = describeOutcome(expected);
    const got = describeOutcome(bench.run(c));
    if (want === got) return;
    const before = describeOutcome({ image: c.image, operand: c.operand, flags: c.flags, ax: 0 });
    all.push({ name: names[i] as string, text: `${names[i]} (${hex(c.code)})\n  from ${before}\n  CPU  ${want}\n  ours ${got}` });
  });
  return { all, cases: cases.length };
}

function expectNone(forms: readonly X87Form[], compiled: boolean): void {
  const { all, cases } = differences(forms, compiled);
  const perName = new Map<string, number>();
  for (const d of all) perName.set(d.name, (perName.get(d.name) ?? 0) + 1);
  expect(all.slice(0, 5).map((d) => d.text).join('\n'), `${all.length} of ${cases} differ: ${JSON.stringify([...perName])}`).toBe('');
}

describe.each([['interpreted', false], ['compiled', true]] as const)('x87 %s', (_, compiled) => {
  it('moves as the CPU does', () => expectNone(moveForms, compiled));
  it('computes as the CPU does', () => expectNone(arithmeticForms, compiled));
  it('controls as the CPU does', () => expectNone(controlForms, compiled));
});

describe('x87 transcendental functions', () => {
  it('agree with the CPU', () => expectNone(transcendentalForms, false));
});
