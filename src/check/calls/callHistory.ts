/** Calls and returns of the past, of functions that rules ask about (`FindLast(k, call, ts, .)`). */
import type { EventQuery, MachineEvent } from '../../rules/evaluate/machine.js';

type CallEvent = Extract<MachineEvent, { kind: 'call' | 'ret' }>;

/** Of one function. */
const MOST = 100_000;

export class CallHistory {
  private readonly lists = new Map<string, CallEvent[]>();

  constructor(
    /** `call f`, `ret g`: others are not kept. */
    private readonly wanted: ReadonlySet<string>,
    origin?: CallHistory,
  ) {
    for (const [key, list] of origin?.lists ?? []) this.lists.set(key, list.slice());
  }

  note(event: CallEvent): void {
    const key = keyOf(event.kind, event.callee);
    if (!this.wanted.has(key) && !this.wanted.has(keyOf(event.kind, '*'))) return;
    const list = this.lists.get(key);
    if (list === undefined) this.lists.set(key, [event]);
    else if (list.push(event) > 2 * MOST) list.splice(0, MOST);
  }

  /** From the last to the first. */
  find({ kind, callees }: EventQuery, visit: (event: MachineEvent) => boolean): boolean {
    const keys = callees === undefined ? [...this.lists.keys()].filter((key) => key.startsWith(`${kind} `)) : callees.map((callee) => keyOf(kind, callee));
    const lists = keys.flatMap((key) => this.lists.get(key) ?? []);
    if (keys.length > 1) lists.sort((a, b) => Number(a.time - b.time));
    return lists.findLast(visit) !== undefined;
  }
}

/** `*`: of any function. */
export function keyOf(kind: string, callee: string): string {
  return `${kind} ${callee}`;
}
