/**
 * What each output of an instruction depends on (src/ir/dependences), against the interpreter: whatever an output is
 * not said to depend on is changed, and the output has to stay. Also: its accesses are those of the log, in order, and
 * the
 * x87 stack begins where it was foretold. With CULPRIT_WASTE=FILE, inputs that never made a difference are listed.
 */
import { writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { assert } from '../../src/base/assert.js';
import { guestAddr } from '../../src/base/types.js';
import { CELLS, cellName, FLAG_CELL, FLAG_NAMES } from '../../src/ir/dependences/cells.js';
import { type InstructionDependences, instructionDependences } from '../../src/ir/dependences/instructionDependences.js';
import { isCell, loadOf, type Refs } from '../../src/ir/dependences/refs.js';
import { flagsFromState } from '../../src/ir/flags.js';
import type { Block } from '../../src/ir/ir.js';
import { LoggedBlocks } from '../../src/ir/loggedBlocks.js';
import { accessOf, logPass } from '../../src/ir/logPass.js';
import { Evaluation } from '../../src/ir/meaning/evaluation.js';
import { stringWalk, walkedRange } from '../../src/ir/meaning/strings.js';
import type { OpDef, Type } from '../../src/ir/opDef.js';
import { OPS } from '../../src/ir/ops.js';
import { restoresImage } from '../../src/ir/sysCalls.js';
import { printBlock } from '../../src/ir/printer.js';
import { CC_OP, CC_X, CC_Y, CC_Z, FLAG, FPU_CONTROL, FPU_REG, FPU_STATUS, RIP, XMM } from '../../src/layout/cpuState.js';
import { FX_SIZE, FX_WRITTEN } from '../../src/layout/fxImage.js';
import { lifterFor, Translator } from '../../src/x86/translate.js';
import { CONFIGURATIONS, EngineRunner, type EngineConfiguration } from './engineRunner.js';
import type { Encoding } from './encodings.js';
import { allForms, type Form } from './forms.js';
import { Harness, planFromEnvironment } from './harness.js';
import { MEMORY, type TestCase } from './machineState.js';
import { Random } from './random.js';
import { makeCase } from './states.js';

const BATCH = 200;
const STATES = Math.ceil(planFromEnvironment(process.env).states / 12);
const SIZE: Readonly<Record<Type, number>> = { i32: 4, i64: 8, v128: 16 };
const FLAG_BITS = FLAG_NAMES.map((name) => FLAG[name.toUpperCase() as 'CF']);
const ALL_FLAG_BITS = FLAG_BITS.reduce((all, bit) => all | bit, 0);
const STATUS = 136;
/** C0, C2 and C3; C1 says how was rounded. */
const CONDITION_BITS = 0x4500;
/** From here to the first vector: cells that are no bytes. */
const OTHERS = FLAG_CELL + FLAG_BITS.length;
const MASKED = 0x3f;
const PENDING = 0x8080;
const FIRST_FLOAT = FPU_REG[0]?.offset ?? 0;
const FIRST_VECTOR = XMM[0]?.offset ?? 0;

/** Cells that are bytes of registers: st(i) has ten. */
const BYTE_CELLS = Array.from({ length: CELLS }, (_, cell) => cell).filter((cell) => cell < FLAG_CELL || (cell >= FIRST_VECTOR && (cell < FIRST_FLOAT || cell % 16 < 10)));

/** Where an access of an instruction goes. */
interface Place {
  readonly address: number;
  readonly bytes: number;
}

interface Moment {
  readonly state: Uint8Array;
  readonly data: Uint8Array;
}

/** Outputs that depend on the same. */
interface Group {
  readonly refs: Refs;
  readonly cells: number[];
  /** Bytes of the data area. */
  readonly bytes: number[];
  /** Where it goes next. */
  isDecision: boolean;
}

function flagsIn(state: Uint8Array): number {
  const view = new DataView(state.buffer, state.byteOffset);
  const [x, y, z] = [CC_X, CC_Y, CC_Z].map(({ offset }) => view.getBigUint64(offset, true)) as [bigint, bigint, bigint];
  return flagsFromState(view.getUint32(CC_OP.offset, true), x, y, z) & ALL_FLAG_BITS;
}

function setFlags(state: Uint8Array, flags: number): void {
  const view = new DataView(state.buffer, state.byteOffset);
  view.setUint32(CC_OP.offset, 0, true);
  view.setBigUint64(CC_X.offset, BigInt(flags), true);
}

function statusIn(state: Uint8Array): number {
  return new DataView(state.buffer, state.byteOffset).getUint32(FPU_STATUS.offset, true);
}

/** What a cell holds. Undefined: we do not look at it. */
function cellIn(state: Uint8Array, cell: number): number | undefined {
  if (cell >= FLAG_CELL && cell < FLAG_CELL + FLAG_BITS.length) return flagsIn(state) & (FLAG_BITS[cell - FLAG_CELL] as number);
  if (cell === STATUS) return statusIn(state) & CONDITION_BITS;
  return cell < FLAG_CELL || cell >= FIRST_VECTOR ? state[cell] : undefined;
}

class DependencesCase {
  /** By form and group: inputs that were changed, and how often that changed an output. */
  readonly tried = new Map<string, [changes: number, tries: number]>();

  constructor(private readonly runner: EngineRunner) {}

  check(c: TestCase, block: Block, form: string): string[] {
    const random = new Random(`dependences/${c.name}`);
    this.prepare(c);
    const before = this.moment();
    const dependences = instructionDependences(block, (statusIn(before.state) >> 11) & 7);
    const places = this.places(block, before);
    const { kind } = this.runner.step();
    if (kind !== 'budget' || places === undefined) return [];
    const after = this.moment();
    const problems = this.unsaid(before, after, dependences, places);
    const usesX87 = block.nodes.some(({ op }) => /^(x87|mmx)\./.test((OPS[op] as OpDef).name));
    if (usesX87 && dependences.top !== undefined && dependences.top !== ((statusIn(after.state) >> 11) & 7)) problems.push(`the x87 stack begins at ${(statusIn(after.state) >> 11) & 7}, not at ${dependences.top}`);
    const addresses = new Set(dependences.accesses.flatMap(({ address }) => address));
    for (const group of groupsOf(dependences, places, block)) {
      const kept = new Set(group.refs);
      if (random.u32() % 2 === 0) for (const ref of addresses) kept.add(ref);
      problems.push(...this.others(c, random, after, group, kept, places, dependences));
      this.own(c, random, after, group, addresses, places, dependences, form);
    }
    return problems;
  }

  /** With all exceptions of the x87 masked: others leave the stack as it is, which is not foretold. */
  private prepare(c: TestCase): void {
    this.runner.prepare(c);
    const { state } = this.runner.memory;
    const view = new DataView(state.buffer, state.byteOffset);
    view.setUint32(FPU_CONTROL.offset, view.getUint32(FPU_CONTROL.offset, true) | MASKED, true);
    view.setUint32(FPU_STATUS.offset, view.getUint32(FPU_STATUS.offset, true) & ~PENDING, true);
  }

  private moment(): Moment {
    const { state, data } = this.runner.memory;
    return { state: state.slice(), data: data.slice() };
  }

  private places(block: Block, before: Moment): Place[] | undefined {
    const { space } = this.runner.memory;
    const view = new DataView(before.state.buffer);
    const evaluation = new Evaluation(block, {
      slot: (offset, type) => Array.from({ length: SIZE[type] }, (_, i) => BigInt(view.getUint8(offset + i)) << BigInt(8 * i)).reduce((a, b) => a | b),
      memory: (address, bytes) => space.peek(address, bytes)?.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n),
    });
    const places: (Place | undefined)[] = [];
    block.nodes.forEach((node, i) => {
      const def = OPS[node.op] as OpDef;
      const how = accessOf(block, i);
      if (how === 'access') places.push({ address: evaluation.address(node) ?? NaN, bytes: def.bytes });
      if (how === 'image') places.push({ address: Number(evaluation.value(node.a)), bytes: restoresImage(node.imm) ? FX_SIZE : FX_WRITTEN });
      if (how !== 'repeated') return;
      const walk = stringWalk(def, node.imm, evaluation.before);
      for (const first of [walk.source, walk.target]) if (first !== undefined) places.push(walkedRange(walk, first)[0] ?? { address: MEMORY.data, bytes: 0 });
    });
    return places.some((place) => place === undefined || Number.isNaN(place.address)) ? undefined : (places as Place[]);
  }

  /** What has changed and is no output. */
  private unsaid(before: Moment, after: Moment, { cells, accesses }: InstructionDependences, places: readonly Place[]): string[] {
    const outputs = new Set(cells);
    const changed = [...BYTE_CELLS, ...FLAG_BITS.map((_, i) => FLAG_CELL + i)].filter((cell) => !outputs.has(cell) && cellIn(before.state, cell) !== cellIn(after.state, cell));
    const stored = new Set(accesses.flatMap(({ isWrite }, k) => (isWrite ? bytesOf(places[k] as Place) : [])));
    const data = [...before.data.keys()].filter((i) => before.data[i] !== after.data[i] && !stored.has(i));
    return [...changed.map((cell) => `${nameOf(cell)} changes but is no output`), ...data.map((i) => `byte ${i} of the data changes but is no output`)];
  }

  /** Everything is changed but what the outputs are said to depend on. */
  private others(c: TestCase, random: Random, after: Moment, group: Group, kept: ReadonlySet<number>, places: readonly Place[], dependences: InstructionDependences): string[] {
    this.prepare(c);
    const { state, data } = this.runner.memory;
    for (const cell of BYTE_CELLS) if (!kept.has(cell)) state[cell] = random.u32();
    const isKeptFlag = FLAG_BITS.filter((_, i) => kept.has(FLAG_CELL + i)).reduce((all, bit) => all | bit, 0);
    setFlags(state, (flagsIn(state) & isKeptFlag) | (random.u32() & ALL_FLAG_BITS & ~isKeptFlag));
    const loaded = new Set(dependences.accesses.flatMap((_, k) => loadedOf(kept, k, places, dependences)));
    for (let i = 0; i < data.length; i++) if (!loaded.has(i)) data[i] = random.u32();
    const { kind } = this.runner.step();
    if (kind !== 'budget') return [];
    return this.differences(after, group).map((what) => `${what} depends on something else`);
  }

  /** One of the inputs is changed. */
  private own(c: TestCase, random: Random, after: Moment, group: Group, addresses: ReadonlySet<number>, places: readonly Place[], dependences: InstructionDependences, form: string): void {
    const own = group.refs.filter((ref) => !addresses.has(ref) && !(ref >= OTHERS && ref < FIRST_VECTOR) && (isCell(ref) || dependences.accesses[loadOf(ref).access]?.isRepeated !== true));
    const ref = own[random.u32() % Math.max(1, own.length)];
    if (ref === undefined) return;
    this.prepare(c);
    const { state, data } = this.runner.memory;
    const by = 1 + (random.u32() % 255);
    if (isCell(ref) && ref >= FLAG_CELL && ref < FLAG_CELL + FLAG_BITS.length) setFlags(state, flagsIn(state) ^ (FLAG_BITS[ref - FLAG_CELL] as number));
    else if (isCell(ref)) state[ref] = (state[ref] as number) ^ by;
    else for (const i of loadedOf(new Set([ref]), loadOf(ref).access, places, dependences)) data[i] = (data[i] as number) ^ by;
    const { kind } = this.runner.step();
    const outputs = group.cells.map((cell) => nameOf(cell)).concat(group.bytes.length > 0 ? ['memory'] : [], group.isDecision ? ['rip'] : []);
    const key = `${form}: ${[...new Set(outputs)].join(' ')} <- ${isCell(ref) ? nameOf(ref) : `load ${loadOf(ref).access}`}`;
    const [changes, tries] = this.tried.get(key) ?? [0, 0];
    const isChanged = kind !== 'budget' || this.differences(after, group).length > 0;
    this.tried.set(key, [changes + (isChanged ? 1 : 0), tries + 1]);
  }

  private differences(after: Moment, { cells, bytes, isDecision }: Group): string[] {
    const { state, data } = this.runner.memory;
    const rip = (of: Uint8Array): string => of.subarray(RIP.offset, RIP.offset + 8).join();
    return [
      ...cells.filter((cell) => cellIn(state, cell) !== cellIn(after.state, cell)).map(nameOf),
      ...bytes.filter((i) => data[i] !== after.data[i]).map((i) => `stored byte ${i}`),
      ...(isDecision && rip(state) !== rip(after.state) ? ['where it goes'] : []),
    ];
  }
}

function nameOf(cell: number): string {
  return `${cellName(cell)}.${cell}`;
}

function bytesOf({ address, bytes }: Place): number[] {
  return Array.from({ length: bytes }, (_, i) => address - MEMORY.data + i);
}

/** Bytes of the data area that refs to an access stand for. */
function loadedOf(refs: ReadonlySet<number>, access: number, places: readonly Place[], { accesses }: InstructionDependences): number[] {
  const bytes = bytesOf(places[access] as Place);
  const own = [...refs].filter((ref) => !isCell(ref) && loadOf(ref).access === access).map((ref) => loadOf(ref).byte);
  if (own.length === 0) return [];
  return accesses[access]?.isRepeated === true ? bytes : own.map((byte) => bytes[byte] as number);
}

function groupsOf({ cells, inputs, accesses, decision }: InstructionDependences, places: readonly Place[], { end }: Block): Group[] {
  const groups = new Map<string, Group>();
  const of = (refs: Refs): Group => {
    let known = groups.get(refs.join());
    if (known === undefined) groups.set(refs.join(), (known = { refs, cells: [], bytes: [], isDecision: false }));
    return known;
  };
  cells.forEach((cell, i) => of(inputs[i] as Refs).cells.push(cell));
  // What is stored twice has the later of both.
  const last = new Map<number, Refs>();
  accesses.forEach(({ isWrite, stored }, k) => {
    if (isWrite) bytesOf(places[k] as Place).forEach((i, byte) => last.set(i, stored[byte % stored.length] as Refs));
  });
  for (const [i, refs] of last) of(refs).bytes.push(i);
  if (end.kind === 'branch' || end.kind === 'indirect') of(decision).isDecision = true;
  return [...groups.values()];
}

/**
 * As in effects.test.ts: instructions are executed alone, and nothing may be asked outside. What a saved environment
 * says of tags is no dependence (cells.ts).
 */
const LEFT_OUT = new Set(['syscall', 'int', 'int1', 'rdtsc', 'rdtscp', 'iret', 'iretd', 'iretq', 'retf', 'cpuid', 'fstenv', 'fnstenv', 'fsave', 'fnsave']);

function groupsOfForms(): Map<string, Form[]> {
  const found = new Map<string, Form[]>();
  for (const form of allForms()) {
    if (lifterFor(form.mnemonic) === undefined || LEFT_OUT.has(form.mnemonicName)) continue;
    const name = form.mnemonicName.slice(0, 2);
    found.set(name, [...(found.get(name) ?? []), form]);
  }
  return found;
}

describe('what the outputs of instructions depend on', () => {
  const plan = planFromEnvironment(process.env);
  const harness = new Harness(plan, []);
  const runner = new EngineRunner(CONFIGURATIONS[0] as EngineConfiguration);
  const checker = new DependencesCase(runner);

  it.each([...groupsOfForms()])('%s...', (_, forms) => {
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

  afterAll(() => {
    const file = process.env['CULPRIT_WASTE'];
    const wasted = [...checker.tried].filter(([, [changes, tries]]) => changes === 0 && tries >= 6).map(([key, [, tries]]) => `${key} (${tries} tries)`);
    if (file !== undefined) writeFileSync(file, `${wasted.sort().join('\n')}\n`);
  });

  function checkEncoding(encoding: Encoding, own: DependencesCase): string[] {
    const translator = new Translator((address, length) => encoding.bytes.slice(address - encoding.address, address - encoding.address + length));
    const block = translator.translate(guestAddr(encoding.address), 1);
    assert(block !== null, 'there is an instruction');
    const { accesses } = instructionDependences(block);
    const logged = new LoggedBlocks();
    logPass(logged, true).rewrite(block, { isAlone: true, apart: () => block });
    const text = (list: readonly { readonly isWrite: boolean; readonly bytes: number }[]): string => list.map(({ isWrite, bytes }) => `${isWrite ? 'w' : 'r'}${bytes}`).join();
    if (text(accesses) !== text(logged.get(0).accesses)) return [`${encoding.name}: accesses are ${text(accesses)}, the log has ${text(logged.get(0).accesses)}`];
    for (let n = 0; n < STATES; n++) {
      const c = makeCase(encoding, n, plan.seed);
      const found = own.check(c, block, encoding.name.replace(/\/.*/, ''));
      if (found.length > 0) return [`${c.name}: ${[...new Set(found)].slice(0, 6).join('; ')}\n${printBlock(block)}`];
    }
    return [];
  }
});

