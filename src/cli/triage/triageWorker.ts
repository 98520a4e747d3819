/**
 * `culprit triage --worker redis://...`: takes jobs from the queue and blames their inputs, until a signal ends it.
 * What a job says of its program has to be true here, too: a worker with another program puts the job back, and says
 * so.
 */
import fs from 'node:fs';
import type { Job, Worker } from 'bullmq';
import { bytePath, textOfBytePath } from '../../base/bytePath.js';
import { visible } from '../../base/visible.js';
import type { InputResult } from '../../triage/inputResult.js';
import { WorkerPool } from '../../triage/workerPool.js';
import { complain } from '../output/report.js';
import { temporaryFile } from '../stores/temporaryFiles.js';
import { sha256 } from './inputFiles.js';
import { redisAddress } from './redisAddress.js';
import { QUEUE, type QueuedJob, redisTools } from './redisQueue.js';
import { defaultJobs, triageThread } from './triageThreads.js';

/** A worker that has not been heard of for so long is dead; others look as often for jobs of the dead. */
const LOCK_MILLISECONDS = 8000;
const LOOK_MILLISECONDS = 3000;
/** A job whose workers keep dying is not tried for ever. */
const MOST_STALLS = 3;
/** So long a job that was refused is left to others, and so long the one who refused takes no other. */
const REFUSED_MILLISECONDS = 1000;

export async function triageWorker(url: string, jobs = defaultJobs()): Promise<number> {
  const address = redisAddress('--worker', url, process.env);
  // What ps shows has the password in it until now.
  process.title = `culprit triage --worker ${address.shown}`;
  const tools = redisTools(address);
  const connection = await tools.connect();
  const pool = new WorkerPool(jobs, triageThread);
  const refuse = new Refusals();
  const work = async (job: Job<QueuedJob>, token: string | undefined): Promise<InputResult> => {
    const why = refusal(job.data);
    if (why === undefined) return blamed(pool, job.data);
    refuse.say(why);
    await job.moveToDelayed(Date.now() + REFUSED_MILLISECONDS, token);
    await new Promise((go) => setTimeout(go, REFUSED_MILLISECONDS));
    throw new tools.bullmq.DelayedError(why);
  };
  const worker: Worker<QueuedJob, InputResult> = new tools.bullmq.Worker<QueuedJob, InputResult>(QUEUE, work, {
    connection, concurrency: jobs, lockDuration: LOCK_MILLISECONDS, stalledInterval: LOOK_MILLISECONDS, maxStalledCount: MOST_STALLS,
  });
  let isBroken = false;
  worker.on('error', () => {
    if (!isBroken) complain(`culprit: ${address.shown}: the connection has broken; trying again`);
    isBroken = true;
  });
  worker.on('completed', () => (isBroken = false));
  complain(`culprit: waiting for work from ${address.shown}`);
  await untilSignal();
  // What is under way goes back to the queue when its lock has run out.
  await worker.close(true);
  await pool.close();
  connection.disconnect();
  return 0;
}

/** Why a job cannot be done here; undefined if it can. */
function refusal({ command: { program }, programHash }: QueuedJob): string | undefined {
  const path = textOfBytePath(bytePath(program));
  const own = hashOf(path);
  if (own === undefined) return `${path} is not there`;
  return own === programHash ? undefined : `${path} is another program here`;
}

function hashOf(path: string): string | undefined {
  try {
    return sha256(fs.readFileSync(path));
  } catch {
    return undefined;
  }
}

/** The input comes with the job, or lies where the job says. */
async function blamed(pool: WorkerPool, { command, hash, path, content }: QueuedJob): Promise<InputResult> {
  const carried = content === undefined ? undefined : Buffer.from(content, 'base64');
  if (carried === undefined || hashOf(path) === hash) {
    if (carried === undefined && hashOf(path) !== hash) return { hash, answers: [], lost: `${path} is not the same file on the worker's machine, and too large to be sent` };
    return pool.blame({ command, hash, path });
  }
  const file = temporaryFile(carried);
  try {
    return await pool.blame({ command, hash, path, source: file.path });
  } finally {
    file.close();
  }
}

/** Each reason is said once. */
class Refusals {
  private readonly said = new Set<string>();

  say(why: string): void {
    if (!this.said.has(why)) complain(`culprit: refused: ${visible(why)}`);
    this.said.add(why);
  }
}

async function untilSignal(): Promise<void> {
  await new Promise<void>((end) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => end());
  });
}
