/**
 * What was done for functions with hooks (machine/hooks.ts), in the order in which the program called them: a few bytes
 * each, because there are many. Times tell which of them lie behind a player that begins in the middle.
 */
import { assert } from '../../base/assert.js';
import { GUEST_SPACE_SIZE } from '../../layout/memoryMap.js';
import type { HookAnswer } from '../../machine/hooks.js';
import type { View } from '../../machine/views.js';
import { LogReader } from './logReader.js';
import { LogWriter } from './logWriter.js';

/**
 * Bits of the first number of an answer; the time since the one before it is above them. `GIVEN`: what is hidden is
 * what the function was given first. Both together, which cannot be: nothing is hidden, and there is a count.
 */
const HAS = { HIDDEN: 1, SHOWN: 2, RESULT: 4, GIVEN: 8, COUNT: 9 } as const;
const TIME_FACTOR = 16;
/** More than this should not come together. */
const MANY_BYTES = 256 * 1024;

/**
 * Views are told by where they are in linear memory and what is above that, compared to the one before, and so are
 * results.
 */
class Previous {
  time = 0;
  offset = 0;
  high = 0;
  result = 0;
}

export class HookAnswers {
  private readonly writer = new LogWriter(MANY_BYTES);
  private previous = new Previous();

  get any(): boolean {
    return this.writer.length > 0;
  }

  /** `given`: the first argument. True: that is enough. */
  add(time: number, { result, hidden, shown, count }: HookAnswer, given: number): boolean {
    const { writer, previous } = this;
    const isGiven = hidden === given;
    assert(count === undefined || hidden === undefined, 'what is hidden has nothing to be copied from');
    const has = (count !== undefined ? HAS.COUNT : hidden === undefined ? 0 : isGiven ? HAS.GIVEN : HAS.HIDDEN) + (shown === undefined ? 0 : HAS.SHOWN) + (result === (shown?.begin ?? 0) ? 0 : HAS.RESULT);
    writer.num((time - previous.time) * TIME_FACTOR + has);
    previous.time = time;
    if (count !== undefined) writer.num(count);
    if (hidden !== undefined && !isGiven) writer.num(hidden);
    if (shown !== undefined) this.addView(shown);
    if ((has & HAS.RESULT) !== 0) {
      writer.signed(result - previous.result);
      previous.result = result;
    }
    return writer.length > MANY_BYTES;
  }

  private addView({ begin, size, real }: View): void {
    const { writer, previous } = this;
    const tag = Math.floor(begin / GUEST_SPACE_SIZE);
    const high = Math.floor(real / GUEST_SPACE_SIZE);
    const offset = begin - tag * GUEST_SPACE_SIZE;
    writer.num(tag);
    writer.num(size);
    writer.signed(offset - previous.offset);
    writer.signed(high - previous.high);
    [previous.offset, previous.high] = [offset, high];
  }

  take(): Uint8Array {
    this.previous = new Previous();
    return this.writer.take();
  }
}

export function countHookAnswers(answers: Uint8Array): number {
  const queue = new HookAnswerQueue(answers);
  let count = 0;
  while (queue.take(0) !== undefined) count++;
  return count;
}

/** Gives them out again. */
export class HookAnswerQueue {
  private readonly reader: LogReader;
  private readonly previous = new Previous();
  /** Of the next one; undefined if there is none. */
  private first: number | undefined;

  /** Those before `from` have been given out. */
  constructor(answers: Uint8Array, from = 0) {
    this.reader = new LogReader(answers);
    this.begin();
    while (this.first !== undefined && this.previous.time < from) this.take(0);
  }

  /** When the next one was given; of none, when the last one was. */
  get nextTime(): number {
    return this.previous.time;
  }

  /** What was done at a time for a function with this first argument; undefined: nothing was then. */
  takeAt(time: number, given: number): HookAnswer | undefined {
    return this.previous.time === time ? this.take(given) : undefined;
  }

  take(given: number): HookAnswer | undefined {
    const { first, reader } = this;
    if (first === undefined) return undefined;
    const count = (first & HAS.COUNT) === HAS.COUNT ? reader.num() : undefined;
    const hidden = count !== undefined ? undefined : (first & HAS.GIVEN) !== 0 ? given : (first & HAS.HIDDEN) !== 0 ? reader.num() : undefined;
    const shown = (first & HAS.SHOWN) === 0 ? undefined : this.view();
    const result = (first & HAS.RESULT) === 0 ? (shown?.begin ?? 0) : (this.previous.result += reader.signed());
    this.begin();
    return count === undefined ? { result, hidden, shown } : { result, hidden, shown, count };
  }

  private begin(): void {
    this.first = this.reader.isAtEnd ? undefined : this.reader.num();
    if (this.first !== undefined) this.previous.time += Math.floor(this.first / TIME_FACTOR);
  }

  private view(): View {
    const { reader, previous } = this;
    const [tag, size] = [reader.num(), reader.num()];
    previous.offset += reader.signed();
    previous.high += reader.signed();
    return { begin: tag * GUEST_SPACE_SIZE + previous.offset, size, real: previous.high * GUEST_SPACE_SIZE + previous.offset };
  }
}
