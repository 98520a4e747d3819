/**
 * Workers that blame inputs, so many at a time. What a worker dies of (out of memory, a bug of ours) concerns one
 * input: that is tried again once, in a fresh worker, and then the result says that it was lost, and why. The others go
 * on.
 */
import { UserError } from '../base/errors.js';
import type { Answer, InputResult } from './inputResult.js';
import type { TriageJob } from './triageJob.js';

export interface InputWorker {
  /** An answer for each repetition. Rejects with WorkerLost if the worker is gone, and is then of no use any more. */
  blame(job: TriageJob): Promise<readonly Answer[]>;
  close(): Promise<void>;
}

export class WorkerLost extends Error {}

const MOST_ATTEMPTS = 2;

export class WorkerPool {
  private readonly idle: InputWorker[] = [];
  private readonly all = new Set<InputWorker>();
  private readonly waiting: (() => void)[] = [];
  private busy = 0;
  private isClosed = false;

  constructor(
    private readonly count: number,
    private readonly makeWorker: () => InputWorker,
  ) {}

  /** Rejects if the job cannot be done by any worker: a mistake of the user's. */
  async blame(job: TriageJob): Promise<InputResult> {
    await this.turn();
    try {
      return await this.attempts(job);
    } finally {
      this.busy--;
      this.waiting.shift()?.();
    }
  }

  /** What is under way is dropped. */
  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all([...this.all].map((worker) => worker.close()));
  }

  private async turn(): Promise<void> {
    while (this.busy >= this.count) await new Promise<void>((go) => this.waiting.push(go));
    this.busy++;
  }

  private async attempts(job: TriageJob): Promise<InputResult> {
    let why = '';
    for (let attempt = 0; attempt < MOST_ATTEMPTS && !this.isClosed; attempt++) {
      const worker = this.takeWorker();
      try {
        const answers = await worker.blame(job);
        this.idle.push(worker);
        return { hash: job.hash, answers };
      } catch (error) {
        if (!(error instanceof WorkerLost)) {
          if (error instanceof UserError) this.idle.push(worker);
          throw error;
        }
        why = error.message;
        this.all.delete(worker);
        await worker.close();
      }
    }
    return { hash: job.hash, answers: [], lost: this.isClosed ? 'it was given up' : why };
  }

  private takeWorker(): InputWorker {
    const before = this.idle.pop();
    if (before !== undefined) return before;
    const worker = this.makeWorker();
    this.all.add(worker);
    return worker;
  }
}
