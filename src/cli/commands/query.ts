/**
 * `culprit query`: scripts, expressions and a prompt over a recording. The query runs in a thread of its own
 * (queryThread.ts).
 */
import { constants } from 'node:os';
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import { InvariantError } from '../../base/assert.js';
import { UserError } from '../../base/errors.js';
import { threadScript } from '../../host/threadScript.js';
import type { CheckpointMemoryOptions } from '../arguments/checkpointMemory.js';
import { endBySignal, endBySignals } from '../running/endBySignals.js';
import { statusOn, tellLoss } from '../opening/lost.js';
import { Progress } from '../output/progress.js';
import { QueryControl } from '../query/queryControl.js';
import { compileScript } from '../query/queryScript.js';
import type { QueryAnswer, QueryRequest, QueryThreadData } from '../query/queryThread.js';
import { complain, wantsColour } from '../output/report.js';
import { recordingOf } from '../opening/recordingOrProgram.js';

export interface QueryOptions extends CheckpointMemoryOptions {
  readonly eval?: readonly string[];
  readonly json?: boolean;
  readonly limit?: number;
}

const DEFAULT_LIMIT = 100;
const EXIT_INTERRUPTED = 130;
/** How long after Ctrl-C a script may still do something of its own. */
const GRACE_MILLISECONDS = 1500;
const PROGRESS_MILLISECONDS = 250;
/** What `culprit/traces` exports that is more than a type. */
export const LIBRARY_NAMES = ['execution', 'args', 'openExecution', 'recordExecution', 'UserError', 'Snapshot', 'Value', 'Execution', 'editHamt', 'editHamtBy', 'EditHamt', 'traceOf', 'traceOfItems'];

export async function queryCommand(file: string, script: string | undefined, args: readonly string[], options: QueryOptions): Promise<number> {
  endBySignals('SIGTERM', 'SIGHUP');
  const { path } = await recordingOf([file], ['inherit', 'inherit', 'inherit']);
  const isTask = script !== undefined || options.eval !== undefined;
  const query = new Query({
    file: path, json: options.json === true, limit: options.limit ?? DEFAULT_LIMIT, colour: wantsColour(process.stdout), args, checkpointMemory: options.checkpointMemory,
  }, !isTask && isConversation());
  const status = await askedAll(query, script, options);
  return isTask && status === EXIT_INTERRUPTED ? endBySignal(constants.signals.SIGINT) : status;
}

async function askedAll(query: Query, script: string | undefined, options: QueryOptions): Promise<number> {
  try {
    const compiled = script === undefined || options.eval !== undefined ? undefined : compileScript(script, LIBRARY_NAMES);
    // What is wrong with the script is said after what is wrong with the recording.
    compiled?.catch(() => undefined);
    const opened = await query.ask({ kind: 'open' });
    if (opened.kind !== 'opened') return answered(opened);
    tellLoss(opened);
    if (options.eval !== undefined) return statusOn(opened, await evaluated(query, options.eval));
    if (compiled !== undefined) return statusOn(opened, await reported(query, { kind: 'script', script: await compiled }));
    return statusOn(opened, await converse(query));
  } finally {
    await query.close();
  }
}

async function evaluated(query: Query, texts: readonly string[]): Promise<number> {
  for (const text of texts) {
    const status = await reported(query, { kind: 'text', text });
    if (status !== 0) return status;
  }
  return 0;
}

/** Does it, says what went wrong, and is the exit status. */
async function reported(query: Query, request: QueryRequest): Promise<number> {
  return answered(await query.ask(request));
}

function answered(answer: QueryAnswer): number {
  switch (answer.kind) {
    case 'failed':
      complain(`culprit: ${answer.message.replace(/\s*\n\s*/g, ' ')}`);
      return answer.status;
    case 'cancelled':
      complain('culprit: interrupted');
      return EXIT_INTERRUPTED;
    case 'defect':
      throw new InvariantError(answer.message);
    default:
      return 0;
  }
}

/** One line after the other, until the end of input. */
async function converse(query: Query): Promise<number> {
  const isTerminal = isConversation();
  const completer = (line: string, done: (error: null, result: [string[], string]) => void): void => {
    void query.ask({ kind: 'complete', line }).then((answer) => done(null, answer.kind === 'completions' ? [[...answer.candidates], answer.replaced] : [[], line]));
  };
  const reader = createInterface({ input: process.stdin, output: isTerminal ? process.stdout : undefined, terminal: isTerminal, prompt: '> ', completer });
  if (isTerminal) process.stdout.write('execution is the recording: try execution.syscalls(), or execution.breakpoints(\'main\'). await works everywhere; Ctrl-D leaves.\n');
  reader.on('SIGINT', () => {
    if (query.isBusy) query.interrupt();
    else reader.write(null, { ctrl: true, name: 'u' });
  });
  let status = 0;
  reader.prompt();
  for await (const line of reader) {
    status = line.trim() === '' ? 0 : await reported(query, { kind: 'text', text: line });
    reader.prompt();
  }
  return isTerminal ? 0 : status;
}

function isConversation(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true;
}

/** The thread, and what it is asked. */
class Query {
  private readonly control = new QueryControl();
  private thread: Worker | undefined;
  private waiting: ((answer: QueryAnswer) => void) | undefined;
  private timer: NodeJS.Timeout | undefined;
  private interrupts = 0;
  private readonly onInterrupt = (): void => this.interrupt();

  constructor(
    private readonly data: Omit<QueryThreadData, 'shared'>,
    private readonly hasPrompt: boolean,
  ) {
    process.on('SIGINT', this.onInterrupt);
    // It opens its eyes while the script is being compiled.
    this.start();
  }

  get isBusy(): boolean {
    return this.waiting !== undefined;
  }

  async ask(request: QueryRequest): Promise<QueryAnswer> {
    const thread = this.thread ?? this.start();
    const progress = new Progress('searching');
    const timer = setInterval(() => progress.report(this.control.done), PROGRESS_MILLISECONDS);
    this.control.reset();
    this.interrupts = 0;
    const answer = await new Promise<QueryAnswer>((resolve) => {
      this.waiting = resolve;
      thread.postMessage(request, []);
    });
    this.waiting = undefined;
    clearInterval(timer);
    clearTimeout(this.timer);
    progress.clear();
    return answer;
  }

  /** Searches notice it; a script that does something else is ended, if need be. */
  interrupt(): void {
    if (!this.isBusy) return this.interruptedWhileIdle();
    this.control.cancel();
    this.interrupts++;
    if (this.interrupts > 1) this.end();
    else this.timer = setTimeout(() => this.end(), GRACE_MILLISECONDS);
  }

  /** A user at the prompt leaves it in another way; all others have had enough before it has begun. */
  private interruptedWhileIdle(): void {
    if (!this.hasPrompt) endBySignal(constants.signals.SIGINT);
  }

  async close(): Promise<void> {
    process.off('SIGINT', this.onInterrupt);
    const { thread } = this;
    this.thread = undefined;
    if (thread === undefined) return;
    // It has something to store when it ends by itself.
    const ended = new Promise((resolve) => thread.once('exit', resolve));
    thread.postMessage({ kind: 'end' } satisfies QueryRequest, []);
    await ended;
  }

  private end(): void {
    void this.thread?.terminate();
    this.thread = undefined;
    this.waiting?.({ kind: 'cancelled' });
  }

  private start(): Worker {
    const script = threadScript('cli/query/queryThread');
    if (script === undefined) throw new UserError('culprit query works in the built command only: run npm run build');
    const workerData: QueryThreadData = { ...this.data, shared: this.control.shared };
    const thread = new Worker(script, { workerData, execArgv: [], argv: [...this.data.args] });
    thread.on('message', (answer: QueryAnswer) => this.waiting?.(answer));
    thread.on('error', (error) => this.waiting?.({ kind: 'defect', message: error.stack ?? error.message }));
    thread.on('exit', () => {
      if (this.thread === thread) this.thread = undefined;
    });
    this.thread = thread;
    return thread;
  }
}
