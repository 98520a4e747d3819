/**
 * How control can leave a range of code: to which addresses, and through which instructions of it that may lead
 * anywhere (returns, indirect jumps; calls, unless they are to be gone over). With stops at those the thread can run
 * freely inside the range.
 */
import { type FlowStep, flowOf } from '../../x86/flow.js';
import type { ProgramView } from '../program/programView.js';
import type { CodeRange } from './stepFacts.js';

export class RangeExits {
  /** Where to stop. */
  readonly addresses: readonly bigint[];
  private readonly doubtful: ReadonlySet<bigint>;

  constructor(
    view: ProgramView,
    readonly range: CodeRange,
    callsReturn: boolean,
  ) {
    const size = Number(range.end - range.start);
    const steps = flowOf(view.memory(range.start, size) ?? new Uint8Array(0), Number(range.start));
    const exits = new Set<bigint>([range.end]);
    const doubtful = new Set<bigint>();
    for (const step of steps) {
      const target = step.target === undefined ? undefined : BigInt(step.target);
      if (isDoubtful(step, callsReturn)) doubtful.add(BigInt(step.address));
      else if (target !== undefined && (target < range.start || target >= range.end) && step.kind !== 'call') exits.add(target);
    }
    this.doubtful = doubtful;
    this.addresses = [...exits, ...doubtful];
  }

  contains(pc: bigint): boolean {
    return pc >= this.range.start && pc < this.range.end;
  }

  /** Whether the instruction may lead out of the range to who knows where. */
  isDoubtful(pc: bigint): boolean {
    return this.doubtful.has(pc);
  }
}

function isDoubtful({ kind }: FlowStep, callsReturn: boolean): boolean {
  switch (kind) {
    case 'call': case 'indirectCall': return !callsReturn;
    case 'return': case 'indirectJump': case 'other': return true;
    case 'next': case 'jump': case 'conditional': return false;
  }
}
