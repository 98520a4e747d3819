/**
 * By whose calls blocks were allocated, of functions that a suppression names. A block is known by the thread that
 * allocated it and the time when it did: it was allocated by a call that had begun in that thread and had not returned.
 * Calls that have allocated nothing are not kept.
 */
import type { Moment } from '../heap/blocks.js';
import type { OpenCall } from './openCalls.js';

/** Of one function in one thread, in the order of time. None is part of another. */
interface Spans {
  readonly begins: number[];
  readonly ends: number[];
}

export class AllocatingCalls {
  private readonly spans = new Map<string, Spans>();

  constructor(
    private readonly functions: ReadonlySet<string>,
    origin?: AllocatingCalls,
  ) {
    for (const [key, { begins, ends }] of origin?.spans ?? []) this.spans.set(key, { begins: begins.slice(), ends: ends.slice() });
  }

  /** A call has returned. `blocks`: so many have been allocated until now. */
  returned({ callees, tid, began, blocksBefore }: OpenCall, time: number, blocks: number): void {
    if (blocks === blocksBefore) return;
    for (const callee of callees) if (this.functions.has(callee)) this.add(keyOf(callee, tid), began, time);
  }

  private add(key: string, began: number, time: number): void {
    const spans = this.spans.get(key) ?? { begins: [], ends: [] };
    this.spans.set(key, spans);
    // What a recursive function has done in its inner calls, it has done in the outer one.
    while ((spans.begins.at(-1) ?? -1) >= began) {
      spans.begins.pop();
      spans.ends.pop();
    }
    spans.begins.push(began);
    spans.ends.push(time);
  }

  /** The functions whose calls it was that allocated something then. `open`: calls that have not returned yet. */
  namesAt({ time, tid }: Pick<Moment, 'time' | 'tid'>, open: Iterable<OpenCall>): string[] {
    const under = new Set<string>();
    if (this.functions.size > 0) for (const call of open) if (call.tid === tid && call.began <= time) for (const callee of call.callees) under.add(callee);
    return [...this.functions].filter((name) => under.has(name) || includes(this.spans.get(keyOf(name, tid)), time));
  }
}

function keyOf(callee: string, tid: number): string {
  return `${callee} ${tid}`;
}

function includes(spans: Spans | undefined, time: number): boolean {
  if (spans === undefined) return false;
  const { begins, ends } = spans;
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] as number) < time) low = middle + 1;
    else high = middle;
  }
  return low < begins.length && (begins[low] as number) <= time;
}
