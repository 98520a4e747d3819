/** Threads that try candidates for `probe`, each on the recording by itself. They start when they are needed. */
import os from 'node:os';
import { Worker } from 'node:worker_threads';
import { InvariantError } from '../../base/assert.js';
import { threadScript } from '../../host/threadScript.js';
import type { Attempt } from '../../probe/attempt.js';
import type { AttemptRules, Outcome } from '../../probe/failure.js';
import type { Attempter, MakeAttempters } from '../../probe/probe.js';
import { Cancelled, type Work } from '../../replay/timeline/work.js';
import type { SearchedFile } from './nodeSearchers.js';
import type { ProbeAnswer, ProbeRequest, ProbeThreadData } from './probeMessages.js';

const MOST_THREADS = 8;
/** Instructions that are run sooner than threads have started. */
const SHORT = 20_000_000;
/** Between two looks at whether the user has had enough. */
const LOOK_MILLISECONDS = 100;

/**
 * `jobs`: as many as that; default: as many as there are processors, if it takes long enough. `script` is for tests:
 * where there is none (threadScript.ts), there are no threads.
 */
export function probeThreads(file: SearchedFile, jobs?: number, script = threadScript('cli/opening/probeThread')): MakeAttempters {
  return (attempts, instructions) => {
    const isShort = jobs === undefined && attempts * instructions < SHORT;
    const count = Math.min(jobs ?? Math.min(os.availableParallelism(), MOST_THREADS), attempts);
    if (script === undefined || count <= 1 || isShort) return undefined;
    const all = Array.from({ length: count }, () => new ProbeThread(script, file));
    return { all, close: async () => void (await Promise.all(all.map((thread) => thread.close()))) };
  };
}

class ProbeThread implements Attempter {
  private readonly thread: Worker;
  private waiting: { readonly resolve: (outcome: Outcome) => void; readonly reject: (error: Error) => void } | undefined;
  private why: string | undefined;

  constructor(script: string, { fd, name, end }: SearchedFile) {
    const workerData: ProbeThreadData = { fd, name, end };
    this.thread = new Worker(script, { workerData, execArgv: [] });
    this.thread.on('message', (answer: ProbeAnswer) => this.answered(answer));
    this.thread.on('error', (error) => this.ended(error.message));
    this.thread.on('exit', () => this.ended('it has ended'));
  }

  async attempt(attempt: Attempt, rules: AttemptRules, work?: Work): Promise<Outcome> {
    const request: ProbeRequest = { attempt, rules };
    const patience = setInterval(() => {
      if (work?.isCancelled?.() === true) this.waiting?.reject(new Cancelled());
    }, LOOK_MILLISECONDS);
    try {
      return await new Promise((resolve, reject) => {
        this.waiting = { resolve, reject };
        if (this.why === undefined) this.thread.postMessage(request, []);
        else this.ended(this.why);
      });
    } finally {
      clearInterval(patience);
    }
  }

  async close(): Promise<void> {
    await this.thread.terminate();
  }

  private answered(answer: ProbeAnswer): void {
    const { waiting } = this;
    this.waiting = undefined;
    if (answer.kind === 'outcome') waiting?.resolve(answer.outcome);
    else waiting?.reject(new InvariantError(answer.text));
  }

  private ended(why: string): void {
    this.why = why;
    this.waiting?.reject(new InvariantError(`a thread that probes is gone: ${why}`));
    this.waiting = undefined;
  }
}
