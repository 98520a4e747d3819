/**
 * Stretches of the execution instruction by instruction: who ran what, with the registers right before it. What was
 * stepped through once is kept, since chains come by the same places again and again.
 */
import { type GuestAddr, guestAddr, time, type Time } from '../base/types.js';
import { RIP } from '../layout/cpuState.js';
import { at } from '../replay/log/position.js';
import type { Condition } from '../replay/timeline/conditions.js';
import type { Execution } from '../replay/timeline/execution.js';
import type { State } from '../replay/timeline/state.js';
import type { Work } from '../replay/timeline/work.js';
import type { Before } from './copies/valueSources.js';
import { codeAt } from './instructions.js';

/** General and SSE registers, flags and segment bases: words of CPU state that are kept of every step. */
const KEPT_WORDS = 128;
/** Steps that are kept altogether. */
const MOST_KEPT = 32_768;

/** One instruction, and the machine right before it is executed. */
export interface Step extends Before {
  readonly time: Time;
  readonly thread: number;
  readonly rip: GuestAddr;
  readonly code: Uint8Array;
}

/** All instructions with times in [start, end). */
export class Stretch {
  constructor(
    readonly start: number,
    readonly end: number,
    private readonly steps: readonly (Step | undefined)[],
    /** Those that there were at its start. */
    readonly threads: ReadonlySet<number>,
  ) {}

  /** Undefined where nothing was executed: the program had ended. */
  at(time: number): Step | undefined {
    return this.steps[time - this.start];
  }
}

/** What a thread is about to execute. Memory can be read as long as the execution stands there. */
export function stepOf(state: State, thread: number): Step | undefined {
  const words = state.cpuWords(thread);
  if (words === undefined) return undefined;
  const rip = ripOf(words);
  return {
    time: state.position.time, thread, rip, code: codeAt(state, thread, rip), words: words.slice(0, KEPT_WORDS),
    memory: (address, size) => state.read(thread, address, size),
  };
}

export class Steps {
  private kept: Stretch[] = [];
  /** Instructions that were stepped through so far. */
  stepped = 0;

  constructor(private readonly execution: Execution) {}

  /**
   * A stretch that has the instruction at `time`; if it is not known yet, with up to `length` before it. The execution
   * may move.
   */
  async covering(time: number, length: number, work?: Work): Promise<Stretch> {
    const known = this.kept.find((stretch) => stretch.start <= time && time < stretch.end);
    if (known !== undefined) return known;
    const before = this.kept.filter((stretch) => stretch.end <= time).reduce((end, stretch) => Math.max(end, stretch.end), 0);
    const made = await this.step(Math.max(before, time - length + 1, 0), time + 1, work);
    this.kept = [made, ...this.kept];
    while (this.kept.length > 1 && this.kept.reduce((sum, { start, end }) => sum + end - start, 0) > MOST_KEPT) this.kept.pop();
    return made;
  }

  private async step(start: number, end: number, work: Work | undefined): Promise<Stretch> {
    const steps: (Step | undefined)[] = [];
    const note = (state: State): void => {
      const thread = state.current?.id;
      const step = thread === undefined ? undefined : stepOf(state, thread);
      if (step !== undefined) steps[step.time - start] = { ...step, memory: () => null };
    };
    await this.execution.seek(at(start), work);
    const threads = new Set(this.execution.state.threads.map(({ id }) => id));
    note(this.execution.state);
    const conditions = Array.from({ length: end - start - 1 }, (_, i): Condition => {
      return { kind: 'time', time: time(start + 1 + i) };
    });
    const filter = { accepts: (hit: { readonly position: { readonly time: number } }, state: State) => (note(state), hit.position.time === end - 1) };
    if (conditions.length > 0) await this.execution.forward(conditions, work, filter);
    this.stepped += end - start;
    return new Stretch(start, end, steps, threads);
  }
}

function ripOf(words: Uint32Array): GuestAddr {
  return guestAddr(wordPair(words, RIP.offset));
}

/** A register of 64 bits, as a number. */
export function wordPair(words: Uint32Array, offset: number): number {
  return (words[offset / 4] ?? 0) + (words[offset / 4 + 1] ?? 0) * 2 ** 32;
}
