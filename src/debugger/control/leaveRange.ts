/**
 * How control can leave a range of code: to which addresses, and through which instructions of it that may lead
 * anywhere (returns, indirect jumps; calls, unless they are to be gone over). With stops at those the thread can run
 * freely inside the range.
 */
import { type FlowStep, flowOf } from '../../x86/flow.js';
import type { ProgramView } from '../program/programView.js';
import type { CodeRange } from './stepFacts.js';

/** A longer range takes longer to decode than it saves. */
const LONGEST_RANGE = 1n << 20n;

export class RangeExits {
  private constructor(
    readonly range: CodeRange,
    /** Where to stop. */
    readonly addresses: readonly bigint[],
    private readonly doubtful: ReadonlySet<bigint>,
    private readonly starts: ReadonlySet<bigint>,
  ) {}

  /**
   * Undefined if the range is not made of whole instructions: then it is not all code, and must be gone through by
   * steps.
   */
  static of(view: Pick<ProgramView, 'memory'>, range: CodeRange, callsReturn: boolean): RangeExits | undefined {
    const { start, end } = range;
    const code = end <= start || end - start > LONGEST_RANGE ? undefined : view.memory(start, Number(end - start));
    const steps = code === undefined ? [] : flowOf(code, Number(start));
    if (steps.length === 0 || steps.some(({ kind }) => kind === 'invalid')) return undefined;
    const exits = new Set<bigint>([range.end]);
    const doubtful = new Set<bigint>();
    for (const step of steps) {
      const target = step.target === undefined ? undefined : BigInt(step.target);
      if (isDoubtful(step, callsReturn)) doubtful.add(BigInt(step.address));
      else if (target !== undefined && (target < range.start || target >= range.end) && step.kind !== 'call') exits.add(target);
    }
    return new RangeExits(range, [...exits, ...doubtful], doubtful, new Set(steps.map(({ address }) => BigInt(address))));
  }

  /**
   * Whether a thread may run from there to the next of the addresses; otherwise its next instruction may lead anywhere.
   */
  isRunnable(pc: bigint): boolean {
    return this.starts.has(pc) && !this.doubtful.has(pc);
  }
}

function isDoubtful({ kind }: FlowStep, callsReturn: boolean): boolean {
  switch (kind) {
    case 'call': case 'indirectCall': return !callsReturn;
    case 'return': case 'indirectJump': case 'other': case 'invalid': return true;
    case 'next': case 'jump': case 'conditional': return false;
  }
}
