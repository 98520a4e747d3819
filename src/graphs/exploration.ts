/**
 * Follows the control flow of one function from its entry, instruction by instruction: jumps, branches, what comes
 * after calls. Indirect jumps stay open until targets are added. The result is cut into nodes at every leader, so that
 * nothing jumps into the middle of one.
 */
import { FLOW, type FlowReader } from '../x86/flowReader.js';
import type { FunctionBorder } from './functionBorder.js';

/** How control leaves the last instruction of a node. */
interface Ending {
  readonly at: number;
  readonly next: number;
  readonly kind: 'fall' | 'jump' | 'branch' | 'call' | 'indirect' | 'return' | 'stop';
  /** Where it goes on in the function, without repetition. */
  readonly targets: readonly number[];
  /** Whether it may leave the function there, other than by a call. */
  readonly leaves: boolean;
  /** Of a branch: where it goes if its condition holds. */
  readonly taken?: number;
}

/** A node before anything is known of the others. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly last: number;
  readonly instructions: number;
  readonly ending: Ending;
}

/** What exploration wants to know of calls. */
export interface CallKnowledge {
  mayReturn(callee: number): boolean;
  mayReturnThrough(pointer: number): boolean;
}

/** No function is larger: what is, is no code. */
const MOST_INSTRUCTIONS = 1_000_000;

export class Exploration {
  /** Indirect jumps, in the order in which they were found. */
  readonly indirectJumps: number[] = [];
  private readonly lengths = new Map<number, number>();
  private readonly endings = new Map<number, Ending>();
  private readonly leaders = new Set<number>();
  private readonly queue: number[] = [];

  constructor(
    private readonly border: FunctionBorder,
    private readonly reader: FlowReader,
    private readonly calls: CallKnowledge,
  ) {}

  /** Everything that can be reached from there. */
  follow(address: number): void {
    this.queue.push(address);
    for (let at = this.queue.pop(); at !== undefined; at = this.queue.pop()) {
      this.leaders.add(at);
      if (this.lengths.size < MOST_INSTRUCTIONS) this.readFrom(at);
    }
  }

  /** Whether an instruction is known to begin there. */
  has(address: number): boolean {
    return this.lengths.has(address);
  }

  /** Says where an indirect jump goes; more than before, or the same. */
  setTargets(jump: number, targets: readonly number[], leaves: boolean): void {
    const ending = this.endings.get(jump);
    if (ending === undefined) return;
    this.endings.set(jump, { ...ending, targets: [...new Set(targets)], leaves });
    for (const target of targets) this.follow(target);
  }

  targetsOf(jump: number): readonly number[] {
    return this.endings.get(jump)?.targets ?? [];
  }

  /** The entry's first, then in the order of addresses. */
  stretches(entry: number): Stretch[] {
    const starts = [...this.leaders].filter((start) => start !== entry && this.lengths.has(start)).sort((a, b) => a - b);
    return [entry, ...starts].map((start) => this.stretchAt(start));
  }

  /** Addresses of a stretch's instructions. */
  *instructionsOf({ start, end }: Stretch): Generator<number> {
    for (let at = start; at < end; at += this.lengths.get(at) as number) yield at;
  }

  private stretchAt(start: number): Stretch {
    const { lengths, endings, leaders } = this;
    for (let [at, instructions] = [start, 1]; ; instructions++) {
      const end = at + (lengths.get(at) ?? 1);
      const ending = endings.get(at);
      if (ending !== undefined) return { start, end, last: at, instructions, ending };
      if (leaders.has(end) || !lengths.has(end)) {
        const isKnown = lengths.has(end);
        return { start, end, last: at, instructions, ending: { at, next: end, kind: 'fall', targets: isKnown ? [end] : [], leaves: !isKnown } };
      }
      at = end;
    }
  }

  private readFrom(start: number): void {
    const { lengths, leaders, border, reader } = this;
    for (let at = start; ; ) {
      if (lengths.has(at)) {
        // Two ways lead there, of which one may come from the middle of another instruction.
        leaders.add(at);
        return;
      }
      const kind = reader.read(at);
      const { next } = reader;
      lengths.set(at, next - at);
      if (kind !== FLOW.next) return this.end(at, next);
      if (!border.goesOn(at, next)) return this.leave(at, next);
      at = next;
    }
  }

  private leave(at: number, next: number): void {
    this.endings.set(at, { at, next, kind: 'fall', targets: [], leaves: true });
  }

  private end(at: number, next: number): void {
    const { reader } = this;
    switch (reader.kind) {
      case FLOW.jump: {
        const [target] = [reader.target];
        return this.put(at, next, 'jump', [target], this.border.takesIn(target) ? [target] : []);
      }
      case FLOW.conditional: {
        const taken = reader.target;
        const inside = [...(this.border.goesOn(at, next) ? [next] : []), ...(this.border.takesIn(taken) ? [taken] : [])];
        this.put(at, next, 'branch', [next, taken], inside);
        this.endings.set(at, { ...(this.endings.get(at) as Ending), taken });
        return;
      }
      case FLOW.call: {
        const callee = reader.target;
        return this.putCall(at, next, this.border.goesOn(at, next) && (callee === next || this.calls.mayReturn(callee)));
      }
      case FLOW.indirectCall: {
        const pointer = reader.pointerAt;
        return this.putCall(at, next, this.border.goesOn(at, next) && (pointer === undefined || this.calls.mayReturnThrough(pointer)));
      }
      case FLOW.indirectJump:
        this.indirectJumps.push(at);
        return this.put(at, next, 'indirect', [next], []);
      case FLOW.return:
        return this.put(at, next, 'return', [next], []);
      default:
        return this.put(at, next, 'stop', [next], []);
    }
  }

  private putCall(at: number, next: number, returns: boolean): void {
    this.put(at, next, 'call', [next], returns ? [next] : []);
  }

  /** `inside`: those of the ways that stay in the function. */
  private put(at: number, next: number, kind: Ending['kind'], ways: readonly number[], inside: readonly number[]): void {
    this.endings.set(at, { at, next, kind, targets: [...new Set(inside)], leaves: inside.length < ways.length });
    for (const target of inside) this.queue.push(target);
  }
}
