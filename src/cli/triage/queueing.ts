/**
 * Work that is handed to others through Redis. Every input is a job with a name of its own, made of the command and the
 * input's content: a job that is there already is not added again, and a result is taken once. What was finished while
 * no triage was waiting for it (this one was killed) is taken when the same command runs again.
 */
import fs from 'node:fs';
import type { Job, Queue } from 'bullmq';
import { UserError } from '../../base/errors.js';
import { visible } from '../../base/visible.js';
import { type InputResult, readResult } from '../../triage/inputResult.js';
import type { TriageJob } from '../../triage/triageJob.js';
import { complain } from '../output/report.js';
import { sha256 } from './inputFiles.js';
import { redisAddress } from './redisAddress.js';
import { QUEUE, type QueuedJob, redisTools } from './redisQueue.js';

const LARGEST_CARRIED = 2 ** 20;
const LOOK_MILLISECONDS = 200;
/** Jobs that are sent at once. */
const BATCH = 100;
/** Without a result for so long, the user may have forgotten to start workers. */
const QUIET_MILLISECONDS = 10_000;

/** Resolves when all are done, or `isOver` does. */
export async function blameByQueue(url: string, jobs: readonly TriageJob[], programHash: string, took: (result: InputResult) => void, isOver: Promise<unknown>): Promise<void> {
  const address = redisAddress('--queue', url, process.env);
  const tools = redisTools(address);
  const connection = await tools.connect();
  const queue = new tools.bullmq.Queue<QueuedJob>(QUEUE, { connection });
  queue.on('error', () => undefined);
  const wish = { isOver: false };
  void isOver.then(() => (wish.isOver = true));
  try {
    const ids = new Map(jobs.map((job) => [jobId(job, programHash), job]));
    await collect(queue, ids, took);
    await send(queue, ids, programHash, () => wish.isOver);
    let last = performance.now();
    let isWarned = false;
    while (ids.size > 0 && !wish.isOver) {
      if ((await collect(queue, ids, took)) > 0) last = performance.now();
      else if (!isWarned && performance.now() - last > QUIET_MILLISECONDS) {
        isWarned = true;
        if ((await queue.getWorkersCount()) === 0) complain(`culprit: no worker is there; start some: culprit triage --worker ${address.shown}`);
      }
      await Promise.race([isOver, new Promise((go) => setTimeout(go, LOOK_MILLISECONDS))]);
    }
    if (wish.isOver) await withdraw(queue, ids);
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`${address.shown}: ${visible(error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error))}`);
  } finally {
    await queue.close().catch(() => undefined);
    connection.disconnect();
  }
}

/** By the input's content, and by what is done with it: two triages may share a Redis. */
function jobId({ command, hash }: TriageJob, programHash: string): string {
  return `${sha256(JSON.stringify([command, programHash])).slice(0, 16)}-${hash}`;
}

async function send(queue: Queue<QueuedJob>, ids: ReadonlyMap<string, TriageJob>, programHash: string, isOver: () => boolean): Promise<void> {
  const all = [...ids];
  for (let i = 0; i < all.length && !isOver(); i += BATCH) {
    await queue.addBulk(all.slice(i, i + BATCH).map(([jobId, job]) => ({ name: 'input', data: queued(job, programHash), opts: { jobId, attempts: 1 } })));
  }
}

function queued({ command, hash, path }: TriageJob, programHash: string): QueuedJob {
  const content = fs.readFileSync(path);
  return { command, programHash, hash, path, ...(content.length > LARGEST_CARRIED ? {} : { content: content.toString('base64') }) };
}

/** Takes what has been finished of ours; gives back how much that was. */
async function collect(queue: Queue<QueuedJob>, ids: Map<string, TriageJob>, took: (result: InputResult) => void): Promise<number> {
  const ended = [...(await queue.getCompleted(0, -1)), ...(await queue.getFailed(0, -1))];
  let count = 0;
  for (const job of ended) {
    const wanted = ids.get(job.id ?? '');
    if (wanted === undefined) continue;
    took(resultOf(job, wanted));
    ids.delete(job.id ?? '');
    count++;
    await job.remove();
  }
  return count;
}

function resultOf(job: Job<QueuedJob>, { hash }: TriageJob): InputResult {
  const result = readResult(job.returnvalue as unknown);
  return result?.hash === hash ? result : { hash, answers: [], lost: job.failedReason ?? 'the worker gave no answer' };
}

/** Nothing is done any more for which no process waits; what a worker has begun, it ends, and the next run takes it. */
async function withdraw(queue: Queue<QueuedJob>, ids: ReadonlyMap<string, TriageJob>): Promise<void> {
  const waiting = await queue.getJobs(['waiting', 'delayed'], 0, -1);
  for (const job of waiting) if (ids.has(job.id ?? '')) await job.remove().catch(() => undefined);
}
