/**
 * A branch that is run ahead of those who look at it. Where it stops on its way leaves traces in its log: so it stops
 * at times that depend on nothing but when it was last altered.
 */
import { breathe, type Work } from '../timeline/work.js';
import type { Alteration } from './alterations.js';
import type { Branch } from './branch.js';
import type { BranchEnd, BranchStop } from './branchExecution.js';
import type { LogSource } from './branchTimeline.js';

/** Instructions between two stops: short steps first, for those who look around; then by how far it has come. */
const SHORTEST_STEP = 4096;
const LONGEST_STEP = 8_388_608;

export class LiveBranch implements LogSource {
  end: BranchEnd | undefined;
  /** When it was last altered, or began. */
  private origin: number;

  constructor(
    readonly branch: Branch,
    /** It does not go beyond this time. */
    private readonly limit = Infinity,
  ) {
    this.origin = branch.time;
  }

  get isOver(): boolean {
    return this.end !== undefined || this.branch.time >= this.limit;
  }

  async runOn(work: Work | undefined): Promise<void> {
    await this.runBy(nextStop(this.branch.time - this.origin) - (this.branch.time - this.origin), work);
  }

  /** Exactly to `time`, by the usual stops, or to the end. */
  async runTo(time: number, work: Work | undefined): Promise<void> {
    while (!this.isOver && this.branch.time < time) {
      const elapsed = this.branch.time - this.origin;
      await this.runBy(Math.min(nextStop(elapsed) - elapsed, time - this.branch.time), work);
    }
  }

  async alter(alteration: Alteration): Promise<void> {
    await this.branch.alter(alteration);
    this.origin = this.branch.time;
  }

  private async runBy(instructions: number, work: Work | undefined): Promise<void> {
    const stop: BranchStop = await this.branch.run(Math.min(instructions, this.limit - this.branch.time));
    if (stop.kind !== 'reached') this.end = stop;
    // How far it goes is not known before.
    await breathe(work, this.branch.time - this.branch.start.time, 0);
  }
}

function nextStop(elapsed: number): number {
  let step = SHORTEST_STEP;
  while (step < LONGEST_STEP && step * 4 <= elapsed) step *= 2;
  return (Math.floor(elapsed / step) + 1) * step;
}
