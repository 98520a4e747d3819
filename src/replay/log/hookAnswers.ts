/**
 * What was done for functions that somebody stood in for (machine/hooks.ts), in the order in which the program called them: a few bytes each, because there are many. Times tell which of
 * them lie behind somebody who begins in the middle.
 */
import { GUEST_SPACE_SIZE } from '../../layout/memoryMap.js';
import type { HookAnswer } from '../../machine/hooks.js';
import { LogReader } from './logReader.js';
import { LogWriter } from './logWriter.js';

/** Bits of the first number of an answer; the time since the one before it is above them. */
const HAS = { HIDDEN: 1, SHOWN: 2, RESULT: 4 } as const;
const TIME_FACTOR = 8;
/** More than this should not come together. */
const MANY_BYTES = 256 * 1024;

export class HookAnswers {
  private readonly writer = new LogWriter(MANY_BYTES);
  private time = 0;

  get any(): boolean {
    return this.writer.length > 0;
  }

  /** True: that is enough. */
  add(time: number, { result, hidden, shown }: HookAnswer): boolean {
    const { writer } = this;
    const has = (hidden === undefined ? 0 : HAS.HIDDEN) + (shown === undefined ? 0 : HAS.SHOWN) + (result === (shown?.begin ?? 0) ? 0 : HAS.RESULT);
    writer.num((time - this.time) * TIME_FACTOR + has);
    this.time = time;
    if (hidden !== undefined) writer.num(hidden);
    if (shown !== undefined) {
      writer.num(shown.begin);
      writer.num(shown.size);
      // The rest is where it is in linear memory, and the same for both.
      writer.num(Math.floor(shown.real / GUEST_SPACE_SIZE));
    }
    if ((has & HAS.RESULT) !== 0) writer.num(result);
    return writer.length > MANY_BYTES;
  }

  take(): Uint8Array {
    this.time = 0;
    return this.writer.take();
  }
}

export function countHookAnswers(answers: Uint8Array): number {
  const queue = new HookAnswerQueue(answers);
  let count = 0;
  while (queue.take() !== undefined) count++;
  return count;
}

/** Gives them out again. */
export class HookAnswerQueue {
  private readonly reader: LogReader;
  private next: { readonly time: number; readonly answer: HookAnswer } | undefined;
  private time = 0;

  /** Those before `from` have been given out. */
  constructor(answers: Uint8Array, from = 0) {
    this.reader = new LogReader(answers);
    this.readNext();
    while (this.next !== undefined && this.next.time < from) this.readNext();
  }

  /** What was done at a time; undefined: nothing was then. */
  takeAt(time: number): HookAnswer | undefined {
    return this.next?.time === time ? this.take() : undefined;
  }

  take(): HookAnswer | undefined {
    const answer = this.next?.answer;
    this.readNext();
    return answer;
  }

  private readNext(): void {
    const { reader } = this;
    this.next = undefined;
    if (reader.isAtEnd) return;
    const first = reader.num();
    this.time += Math.floor(first / TIME_FACTOR);
    const hidden = (first & HAS.HIDDEN) === 0 ? undefined : reader.num();
    const shown = (first & HAS.SHOWN) === 0 ? undefined : this.view();
    const result = (first & HAS.RESULT) === 0 ? (shown?.begin ?? 0) : reader.num();
    this.next = { time: this.time, answer: { result, hidden, shown } };
  }

  private view(): HookAnswer['shown'] {
    const [begin, size, high] = [this.reader.num(), this.reader.num(), this.reader.num()];
    return { begin, size, real: high * GUEST_SPACE_SIZE + (begin % GUEST_SPACE_SIZE) };
  }
}
