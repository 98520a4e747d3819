/** Threads that blame inputs, each a worker of the pool (triage/workerPool.ts). */
import os from 'node:os';
import { Worker } from 'node:worker_threads';
import { assert } from '../../base/assert.js';
import { UserError } from '../../base/errors.js';
import { threadScript } from '../../host/threadScript.js';
import type { Answer } from '../../triage/inputResult.js';
import type { TriageJob } from '../../triage/triageJob.js';
import { type InputWorker, WorkerLost } from '../../triage/workerPool.js';
import type { TriageReply, TriageRequest } from './triageMessages.js';

const MOST_THREADS = 8;
/** Of JavaScript's memory for one thread: recordings and debug information. */
const HEAP_MEGABYTES = 2048;
/** Looking for the reason takes longer than the run; what takes this much longer is stuck. */
const PATIENCE_SECONDS = 60;
const PATIENCE_FACTOR = 12;

/** How many threads there are unless the user says otherwise. */
export function defaultJobs(): number {
  return Math.min(os.availableParallelism(), MOST_THREADS);
}

export function triageThread(script = threadScript('cli/triage/triageThread')): InputWorker {
  assert(script !== undefined, 'threads run what npm run build has made');
  return new TriageThread(script);
}

class TriageThread implements InputWorker {
  private readonly thread: Worker;
  private number = 0;
  private gone: string | undefined;
  private waiting: { readonly resolve: (answers: readonly Answer[]) => void; readonly reject: (error: Error) => void } | undefined;

  constructor(script: string) {
    this.thread = new Worker(script, { execArgv: [], stdin: false, stdout: false, resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES } });
    this.thread.on('message', (reply: TriageReply) => this.replied(reply));
    this.thread.on('error', (error) => this.ended((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'out of memory' : error.message));
    this.thread.on('exit', (code) => this.ended(`its thread has ended (${code})`));
  }

  async blame(job: TriageJob): Promise<readonly Answer[]> {
    const { limits: { seconds }, repeat } = job.command;
    const patience = (PATIENCE_SECONDS + seconds * PATIENCE_FACTOR) * repeat;
    const timer = setTimeout(() => this.ended(`no answer after ${patience} s`), patience * 1000);
    try {
      return await new Promise((resolve, reject) => {
        this.waiting = { resolve, reject };
        const request: TriageRequest = { number: ++this.number, job };
        if (this.gone === undefined) this.thread.postMessage(request, []);
        else this.ended(this.gone);
      });
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    await this.thread.terminate();
  }

  private replied(reply: TriageReply): void {
    if (reply.number !== this.number) return;
    const { waiting } = this;
    this.waiting = undefined;
    if (reply.kind === 'answers') waiting?.resolve(reply.answers);
    else if (reply.kind === 'userError') waiting?.reject(new UserError(reply.message, reply.exitCode));
    else waiting?.reject(new WorkerLost(`internal error: ${reply.text.split('\n')[0] ?? ''}`));
  }

  private ended(why: string): void {
    this.gone ??= why;
    this.waiting?.reject(new WorkerLost(this.gone));
    this.waiting = undefined;
  }
}
