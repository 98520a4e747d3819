/**
 * What an instruction reads and writes, as the IR's meaning has it (src/ir/meaning), against the interpreter: every
 * byte that changes is in the set of what is written, what is not in the set of what is read makes no difference, and
 * what nodes are said to compute is what the machine has afterwards.
 */
import { describe, expect, it } from 'vitest';
import { assert } from '../../src/base/assert.js';
import { guestAddr } from '../../src/base/types.js';
import type { Block, Node } from '../../src/ir/ir.js';
import { Evaluation } from '../../src/ir/meaning/evaluation.js';
import { effectsIn, type ExactEffects, instructionEffects } from '../../src/ir/meaning/instructionEffects.js';
import { type StateBytes, stateBytes, wholeSlot } from '../../src/ir/meaning/stateBytes.js';
import type { MemoryRange } from '../../src/ir/meaning/strings.js';
import type { OpDef, Type } from '../../src/ir/opDef.js';
import { OPS } from '../../src/ir/ops.js';
import { printBlock } from '../../src/ir/printer.js';
import { CPU_STATE_SIZE, RIP, SCRATCH, TICKS } from '../../src/layout/cpuState.js';
import type { Stop } from '../../src/machine/stop.js';
import { lifterFor, Translator } from '../../src/x86/translate.js';
import type { Encoding } from './encodings.js';
import { CONFIGURATIONS, EngineRunner, type EngineConfiguration } from './engineRunner.js';
import { allForms, type Form } from './forms.js';
import { Harness, planFromEnvironment } from './harness.js';
import { MEMORY, type TestCase } from './machineState.js';
import { Random } from './random.js';
import { makeCase } from './states.js';

const BATCH = 200;
/** Fewer than for the comparison with the CPU: many encodings count more than many states. */
const STATES = planFromEnvironment(process.env).states / 4;
const SIZE: Readonly<Record<Type, number>> = { i32: 4, i64: 8, v128: 16 };
/** Registers and flags. What operations of one instruction tell each other is over with it. */
const REGISTERS: StateBytes = stateBytes([{ offset: 0, bytes: TICKS.offset }]) & ~stateBytes([{ offset: RIP.offset, bytes: 8 }]);
const SCRATCH_BYTES: StateBytes = stateBytes([wholeSlot(SCRATCH)]);

/** A set of bytes of the state as one byte for each. */
function members(set: StateBytes): Uint8Array {
  const list = new Uint8Array(CPU_STATE_SIZE);
  for (let i = 0, left = set; left !== 0n; i++, left >>= 1n) if ((left & 1n) !== 0n) list[i] = 1;
  return list;
}

/** Bytes of the data area in some ranges of memory, one for each. */
function dataIn(ranges: readonly MemoryRange[]): Uint8Array {
  const list = new Uint8Array(MEMORY.dataSize);
  for (const { address, bytes } of ranges) list.fill(1, Math.max(address - MEMORY.data, 0), Math.max(address - MEMORY.data + bytes, 0));
  return list;
}

function indicesWhere(length: number, holds: (i: number) => boolean): number[] {
  const found: number[] = [];
  for (let i = 0; i < length; i++) if (holds(i)) found.push(i);
  return found;
}

const IS_REGISTER = members(REGISTERS);
const IS_COMPARED = members(REGISTERS | SCRATCH_BYTES);

function numberIn(bytes: Uint8Array, offset: number, size: number): bigint {
  return bytes.subarray(offset, offset + size).reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}

interface Moment {
  readonly state: Uint8Array;
  readonly data: Uint8Array;
}

class EffectsCase {
  private readonly runner: EngineRunner;

  constructor(runner: EngineRunner) {
    this.runner = runner;
  }

  /** What is wrong with it. */
  check(c: TestCase, block: Block): string[] {
    this.runner.prepare(c);
    const before = this.moment();
    const { space } = this.runner.memory;
    const evaluation = new Evaluation(block, {
      slot: (offset, type) => numberIn(before.state, offset, SIZE[type]),
      memory: (address, bytes) => {
        const read = space.peek(address, bytes);
        return read === null ? undefined : numberIn(read, 0, bytes);
      },
    });
    const effects = effectsIn(evaluation);
    const values = expectedValues(evaluation);
    const stop = this.runner.step();
    const after = this.moment();
    const problems = [...beyondStatic(block, effects)];
    if (stop.kind === 'budget') problems.push(...this.changes(before, after, effects), ...values.flatMap((value) => value(after)));
    return problems.concat(this.unread(c, before, after, stop, effects));
  }

  /** Bytes that changed though they are not said to be written. */
  private changes(before: Moment, after: Moment, { writes, memoryWrites }: ExactEffects): string[] {
    const isWritten = members(writes);
    const state = indicesWhere(CPU_STATE_SIZE, (i) => IS_COMPARED[i] === 1 && before.state[i] !== after.state[i] && isWritten[i] === 0);
    if (memoryWrites === undefined) return ['where it writes is not known'];
    const mayChange = dataIn(memoryWrites);
    const data = Buffer.compare(before.data, after.data) === 0 ? [] : indicesWhere(MEMORY.dataSize, (i) => before.data[i] !== after.data[i] && mayChange[i] === 0);
    return [...state.map((i) => `state byte ${i} has changed`), ...data.map((i) => `byte ${i} of the data has changed`)];
  }

  /** What it is not said to read is something else: everything has to come out the same, or stay. */
  private unread(c: TestCase, before: Moment, after: Moment, stop: Stop, { reads, writes, memoryReads, memoryWrites }: ExactEffects): string[] {
    this.runner.prepare(c);
    const { state, data } = this.runner.memory;
    const random = new Random(`unread/${c.name}`);
    const isRead = members(reads);
    for (let i = 0; i < TICKS.offset; i++) if (IS_REGISTER[i] === 1 && isRead[i] === 0) state[i] = random.u32();
    const isLoaded = memoryReads === undefined ? new Uint8Array(data.length).fill(1) : dataIn(memoryReads);
    for (let i = 0; i < data.length; i++) if (isLoaded[i] === 0) data[i] = (data[i] as number) ^ FLIPPED;
    const other = this.moment();
    const otherStop = this.runner.step();
    if (!isSame(stop, otherStop)) return [`it stops by ${describeStop(otherStop)}, not by ${describeStop(stop)}, for what it does not read`];
    if (stop.kind !== 'budget') return [];
    const [isWritten, isStored] = [members(writes), dataIn(memoryWrites ?? [])];
    const differs = (list: keyof Moment, i: number, own: Uint8Array): boolean =>
      own[i] !== after[list][i] && !(after[list][i] === before[list][i] && own[i] === other[list][i]);
    const wrong = indicesWhere(TICKS.offset, (i) => IS_REGISTER[i] === 1 && (isWritten[i] === 1 ? differs('state', i, state) : state[i] !== other.state[i]));
    const wrongData = indicesWhere(data.length, (i) => (isStored[i] === 1 ? differs('data', i, data) : data[i] !== other.data[i]));
    return [...wrong.map((i) => `state byte ${i} depends on what it does not read`), ...wrongData.map((i) => `byte ${i} of the data depends on what it does not read`)];
  }

  private moment(): Moment {
    const { state, data } = this.runner.memory;
    return { state: state.slice(), data: data.slice() };
  }
}

/** What bits of bytes are changed by that the instruction is not said to read. */
const FLIPPED = 0xa5;
const describeStop = (stop: Stop): string => JSON.stringify(stop, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
const isSame = (a: Stop, b: Stop): boolean => describeStop(a) === describeStop(b);

function beyondStatic(block: Block, { reads, writes, memoryReads, memoryWrites }: ExactEffects): string[] {
  const may = instructionEffects(block);
  return [
    ...((reads & ~may.reads) !== 0n ? ['it reads what it may not'] : []),
    ...((writes & ~may.writes) !== 0n ? ['it writes what it may not'] : []),
    ...((memoryReads ?? []).length > 0 && !may.readsMemory ? ['it may not read memory'] : []),
    ...((memoryWrites ?? []).length > 0 && !may.writesMemory ? ['it may not write memory'] : []),
  ];
}

/**
 * Of each value that the instruction leaves in a register: whether it is what was computed. Known before it is
 * executed.
 */
function expectedValues(evaluation: Evaluation): ((after: Moment) => string[])[] {
  const last = new Map<number, Node>();
  for (const node of evaluation.block.nodes) if ((OPS[node.op] as OpDef).effect === 'set') last.set(node.imm, node);
  return [...last].flatMap(([offset, node]) => {
    const expected = evaluation.value(node.a);
    if (expected === undefined) return [];
    const size = SIZE[(OPS[node.op] as OpDef).params[0] as Type];
    return [(after: Moment): string[] => {
      const found = numberIn(after.state, offset, size);
      return found === expected ? [] : [`state byte ${offset} should be 0x${expected.toString(16)}, not 0x${found.toString(16)}`];
    }];
  });
}

/** Instructions are executed alone, and nothing may be asked outside. */
const LEFT_OUT = new Set(['syscall', 'int', 'int1', 'rdtsc', 'rdtscp', 'iret', 'iretd', 'iretq', 'retf', 'fclex', 'finit', 'fsave', 'fstcw', 'fstenv', 'fstsw']);

function groups(): Map<string, Form[]> {
  const found = new Map<string, Form[]>();
  for (const form of allForms()) {
    if (lifterFor(form.mnemonic) === undefined || LEFT_OUT.has(form.mnemonicName)) continue;
    const group = found.get(form.mnemonicName.slice(0, 2)) ?? [];
    group.push(form);
    found.set(form.mnemonicName.slice(0, 2), group);
  }
  return found;
}

describe('the effects of instructions', () => {
  const plan = planFromEnvironment(process.env);
  const harness = new Harness(plan, []);
  const runner = new EngineRunner(CONFIGURATIONS[0] as EngineConfiguration);
  const checker = new EffectsCase(runner);

  it.each([...groups()])('%s...', (_, forms) => {
    const problems: string[] = [];
    const encodings = harness.encodings(forms);
    for (let i = 0; i < encodings.length; i += BATCH) {
      const batch = encodings.slice(i, i + BATCH);
      runner.place(batch);
      for (const encoding of batch) problems.push(...checkEncoding(encoding, checker));
      if (problems.length > 10) break;
    }
    expect(problems.slice(0, 5).join('\n')).toBe('');
  }, plan.timeout);

  function checkEncoding(encoding: Encoding, own: EffectsCase): string[] {
    const translator = new Translator((address, length) => encoding.bytes.slice(address - encoding.address, address - encoding.address + length));
    const block = translator.translate(guestAddr(encoding.address), 1);
    assert(block !== null, 'there is an instruction');
    for (let n = 0; n < STATES; n++) {
      const c = makeCase(encoding, n, plan.seed);
      const found = own.check(c, block);
      if (found.length > 0) return [`${c.name}: ${found.slice(0, 6).join('; ')}\n${printBlock(block)}`];
    }
    return [];
  }
});
