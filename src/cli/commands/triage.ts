/** `culprit triage`: many inputs, grouped by what is to blame for how a program fails with them. */
import fs from 'node:fs';
import os from 'node:os';
import { resolve } from 'node:path';
import { bytePath, bytePathFromText, textOfBytePath } from '../../base/bytePath.js';
import { UserError } from '../../base/errors.js';
import { NodeHost } from '../../host/nodeHost.js';
import { findProgram } from '../../linux/loader/findProgram.js';
import { hostLoaderFiles } from '../../linux/loader/hostLoaderFiles.js';
import type { InputResult } from '../../triage/inputResult.js';
import type { TriageCommand, TriageJob } from '../../triage/triageJob.js';
import { triageStatus, triageTable } from '../../triage/triageTable.js';
import { WorkerPool } from '../../triage/workerPool.js';
import { rawTail } from '../arguments/rawArguments.js';
import { Progress } from '../output/progress.js';
import { complain } from '../output/report.js';
import { endBySignal } from '../running/endBySignals.js';
import { VERSION } from '../stores/version.js';
import { buildId } from '../stores/prebuilt.js';
import { findInputs, sha256 } from '../triage/inputFiles.js';
import { type RedisAddress, redisAddress } from '../triage/redisAddress.js';
import { StateFile } from '../triage/stateFile.js';
import { type TableOutputOptions, TableOutputs } from '../triage/tableOutputs.js';
import { defaultJobs, triageThread } from '../triage/triageThreads.js';

export interface TriageOptions extends TableOutputOptions {
  readonly jobs?: number;
  /** Seconds. */
  readonly timeout?: number;
  readonly instructions?: number;
  /** Megabytes. */
  readonly memory?: number;
  readonly repeat?: number;
  readonly method?: TriageCommand['method'];
  readonly state?: string;
  readonly fresh?: boolean;
  readonly queue?: string;
  readonly worker?: string;
}

const DEFAULT_SECONDS = 10;
const DEFAULT_MEGABYTES = 1024;

/** `words` are the program and its arguments, the end of our own command line. */
export async function triageCommand(names: readonly string[], words: readonly string[], options: TriageOptions): Promise<number> {
  const [shown = ''] = words;
  const command = commandOf(words, options);
  if (options.queue !== undefined) hidePassword(redisAddress('--queue', options.queue, process.env), words);
  const { inputs, leftOut } = findInputs(names);
  const outputs = new TableOutputs(options);
  const programHash = sha256(fs.readFileSync(textOfBytePath(bytePath(command.program))));
  const state = new StateFile({ folder: options.state, subject: subjectOf(command, programHash), isFresh: options.fresh === true });
  if (leftOut > 0) complain(`culprit: ${leftOut} ${leftOut === 1 ? 'file is' : 'files are'} left out: no input of a fuzzer's by the name`);
  const todo = inputs.filter(({ hash }) => !state.results.has(hash));
  const jobs = todo.map(({ hash, name }): TriageJob => ({ command, hash, path: resolve(name) }));
  if (todo.length > 0 && todo.length < inputs.length) complain(`culprit: going on: ${inputs.length - todo.length} of ${inputs.length} inputs are done`);
  const progress = new Progress('triage', options.json !== true);
  const took = (result: InputResult): void => {
    state.add(result);
    progress.report((inputs.length - todo.length + ++done) / inputs.length);
  };
  let done = 0;
  const interrupted = await untilInterrupted((isOver) => blameAll(jobs, programHash, options, took, isOver));
  progress.clear();
  const table = triageTable(inputs, state.results);
  outputs.write(table, { shown, args: command.args.map((arg) => textOfBytePath(bytePath(arg))), directory: process.cwd() });
  state.close();
  if (interrupted === undefined) return triageStatus(table);
  complain(`culprit: ${table.pending} of ${inputs.length} inputs are still to do; ${state.isKept ? 'the same command goes on from here' : 'with --state DIR the same command would go on from here'}`);
  return endBySignal(interrupted);
}

function commandOf(words: readonly string[], options: TriageOptions): TriageCommand {
  const host = new NodeHost();
  const [program, ...args] = rawTail(words);
  if (program === undefined) throw new UserError('which program? culprit triage INPUTS... -- PROGRAM [ARG...]');
  const searchPath = host.environment().find((entry) => entry.startsWith('PATH='))?.slice('PATH='.length);
  const found = findProgram(hostLoaderFiles(host.files), program, searchPath);
  return {
    program: found.startsWith('/') ? found : `${bytePathFromText(process.cwd())}/${found.replace(/^(\.\/)+/, '')}`,
    args,
    directory: process.cwd(),
    limits: { seconds: options.timeout ?? DEFAULT_SECONDS, instructions: options.instructions ?? null, megabytes: options.memory ?? DEFAULT_MEGABYTES },
    method: options.method ?? 'guards',
    repeat: options.repeat ?? 1,
  };
}

/** What ps shows has the password in it until now. */
function hidePassword({ shown }: RedisAddress, words: readonly string[]): void {
  process.title = `culprit triage --queue ${shown} -- ${words.join(' ')}`;
}

/** What a result depends on, beside the input. */
function subjectOf(command: TriageCommand, programHash: string): string {
  return sha256(JSON.stringify([VERSION, buildId(), command, programHash]));
}

async function blameAll(jobs: readonly TriageJob[], programHash: string, { jobs: count, queue }: TriageOptions, took: (result: InputResult) => void, isOver: Promise<unknown>): Promise<void> {
  if (jobs.length === 0) return;
  if (queue !== undefined) {
    const { blameByQueue } = await import('../triage/queueing.js');
    await blameByQueue(queue, jobs, programHash, took, isOver);
    return;
  }
  const pool = new WorkerPool(Math.min(count ?? defaultJobs(), jobs.length), triageThread);
  let hasEnded = false;
  const all = Promise.all(jobs.map(async (job) => {
    const result = await pool.blame(job);
    if (!hasEnded) took(result);
  }));
  try {
    await Promise.race([all, isOver]);
  } finally {
    hasEnded = true;
    await pool.close();
    await all.catch(() => undefined);
  }
}

/** The signal by which the user has ended it; undefined if it came to its end. */
async function untilInterrupted(work: (isOver: Promise<unknown>) => Promise<void>): Promise<number | undefined> {
  let signal: number | undefined;
  let stop: () => void = () => undefined;
  const isOver = new Promise<void>((tell) => (stop = tell));
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const listeners = names.map((name) => {
    const listener = (): void => {
      signal ??= os.constants.signals[name];
      stop();
    };
    process.once(name, listener);
    return () => process.off(name, listener);
  });
  try {
    await work(isOver);
  } finally {
    for (const remove of listeners) remove();
  }
  return signal;
}
