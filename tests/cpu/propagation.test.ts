/**
 * Shadow that generated code propagates by itself (src/ir/propagation) against the one that is computed instruction by
 * instruction (src/machine/shadow), which is the reference: after random sequences of instructions, with random shadow
 * in registers and memory, everything is the same to the bit, and so is what the policy has been told.
 */
import { describe, expect, it } from 'vitest';
import { GPR, RSP, XMM } from '../../src/layout/cpuState.js';
import type { InstructionShadow } from '../../src/machine/shadow/instructionShadow.js';
import { type Decision, type Propagation, type ShadowedInstruction, type ShadowPolicy } from '../../src/machine/shadow/shadowPolicy.js';
import { meetingOf } from '../../src/replay/branch/suppression/meeting.js';
import { wordsAt } from '../../src/replay/branch/suppression/rememberedWords.js';
import { slotAddress } from './encodings.js';
import { CONFIGURATIONS, type EngineConfiguration, EngineRunner } from './engineRunner.js';
import { planFromEnvironment } from './harness.js';
import { comparedForms } from './instructionTests.js';
import { MEMORY, type Outcome, type TestCase } from './machineState.js';
import { Random } from './random.js';
import { sequenceCase, type SequenceKind, SequenceMaker } from './sequences.js';

const plan = planFromEnvironment(process.env);
const maker = new SequenceMaker(comparedForms(null), plan.seed);
const KINDS: readonly SequenceKind[] = ['flags', 'integer', 'loop', 'strings', 'vector', 'x87'];
const BATCH = 10 * plan.encodingFactor;
const STATES = 3;
const LEFT_OUT: ReadonlySet<number> = new Set([...GPR.filter((slot) => slot !== RSP), ...XMM].map(({ offset }) => offset));
const WORD = (1n << 64n) - 1n;

/** Leaves out what lets shadow decide something, and remembers what it was told. */
class Witness implements ShadowPolicy {
  readonly startsInFrames = false;
  readonly isForgetful = false;
  /** Words that were overwritten. */
  words: string[] = [];
  /** Of all that it has seen: what is known is not told again. */
  readonly spread = new Set<number>();
  readonly propagation: Propagation | undefined;

  constructor(propagates: boolean) {
    this.propagation = propagates ? { after: 0, overwritten: (address, word) => this.overwritten(address, word) } : undefined;
  }

  decide({ block, shadow, machine, at }: ShadowedInstruction): Decision {
    const meeting = meetingOf(block, shadow, machine);
    if (meeting !== undefined) {
      const { slots, memory } = shadow.targets();
      return { kind: 'leaveOut', slots: slots.filter(({ offset }) => LEFT_OUT.has(offset)), memory: meeting === 'address' ? [] : memory };
    }
    const stored = shadow.stores().filter(({ bits }) => bits !== 0n);
    const words = stored.flatMap(({ address, bytes }) => wordsAt(machine, Number(machine.slot(RSP.offset, 'i64')), address, bytes));
    const spreads = isSpread(shadow);
    const done = (): void => {
      for (const { address, word } of words) this.overwritten(address, word);
      if (spreads) this.spread.add(at);
    };
    return { kind: 'goOn', done };
  }

  private overwritten(address: number, word: bigint): void {
    this.words.push(`${address.toString(16)} ${word.toString(16)}`);
  }
}

function isSpread(shadow: InstructionShadow): boolean {
  return shadow.stores().some(({ bits }) => bits !== 0n) || [...shadow.slots().values()].some((bits) => bits !== 0n);
}

class ShadowRunner {
  readonly runner: EngineRunner;
  private readonly policy: Witness;

  constructor(configuration: EngineConfiguration, propagates: boolean) {
    this.runner = new EngineRunner(configuration);
    this.policy = new Witness(propagates);
    this.runner.follow(this.policy);
  }

  /** Instructions that were executed one by one. */
  get steps(): number {
    return this.runner.shadow.shadow.cost.steps;
  }

  /** Addresses of instructions that have handed shadow on. */
  get spread(): readonly number[] {
    return [...this.policy.spread].sort((a, b) => a - b);
  }

  execute(c: TestCase): Outcome {
    this.policy.words = [];
    this.runner.prepare(c);
    this.shade(new Random(`${plan.seed}/shadow/${c.name}`));
    return this.runner.finish();
  }

  /** All that can be seen of shadow afterwards. */
  run(c: TestCase): Readonly<Record<string, unknown>> {
    const outcome = this.execute(c);
    const { shadow, bytes } = this.runner.shadow;
    const slots = [...Array(704 / 4).keys()].map((i) => [i * 4, shadow.slotBits(i * 4)] as const).filter(([, bits]) => bits !== 0n).map(([offset, bits]) => `${offset}: ${bits.toString(16)}`);
    const shadowed = [...Array(MEMORY.dataSize).keys()].filter((i) => bytes.has(MEMORY.data + i)).map((i) => i.toString(16)).join(' ');
    const { state, trap, address, note } = outcome;
    return { registers: Buffer.from(state.bytes).toString('hex'), trap, address, note, changes: [...outcome.changes], slots, shadowed, words: this.policy.words };
  }

  private shade(r: Random): void {
    const { shadow, bytes } = this.runner.shadow;
    for (let offset = 0; offset < 704; offset += 4) shadow.clear(offset);
    shadow.resumed();
    bytes.remove(MEMORY.data, MEMORY.dataSize);
    for (const slot of [...GPR.filter((one) => one !== RSP), ...XMM]) {
      if (!r.oneIn(3)) continue;
      const some = (): bigint => (r.oneIn(3) ? WORD : r.oneIn(2) ? 0xffn << BigInt(r.below(57)) : 1n << BigInt(r.below(64)));
      shadow.shade(slot.offset, slot.type === 'v128' ? some() | (r.oneIn(2) ? some() << 64n : 0n) : some() & WORD, 0);
    }
    for (let i = r.below(40); i > 0; i--) bytes.add(MEMORY.data + r.below(MEMORY.dataSize - 64), 1 + r.below(64));
    shadow.resumed();
  }
}

describe.each(CONFIGURATIONS)('generated code propagates shadow as it is computed, $name', (configuration) => {
  const reference = new ShadowRunner(CONFIGURATIONS[0] as EngineConfiguration, false);
  const propagating = new ShadowRunner(configuration, true);
  it.each(KINDS)('%s', (kind) => {
    const sequences = Array.from({ length: BATCH }, (_, n) => maker.make(kind, n, slotAddress(n)));
    const cases = sequences.flatMap((sequence) => Array.from({ length: STATES }, (_, n) => sequenceCase(sequence, n, plan.seed)));
    reference.runner.place(sequences);
    const expected = cases.map((c) => reference.run(c));
    // Who meets shadow, and hands it on, has become known after two rounds: then code is as it stays.
    const round = (): void => cases.forEach((c) => void propagating.execute(c));
    propagating.runner.placeHot(sequences, round);
    round();
    round();
    propagating.runner.placeHot(sequences, round);
    const before = propagating.steps;
    cases.forEach((c, i) => expect({ name: c.name, ...propagating.run(c) }).toEqual({ name: c.name, ...expected[i] }));
    expect(propagating.spread).toEqual(reference.spread);
    if (!configuration.options.noCompiler) expect(propagating.runner.stats.regions).toBeGreaterThan(BATCH);
    if (kind === 'integer') expect(propagating.steps - before).toBeLessThan(reference.steps / 2);
  }, plan.timeout);
});
