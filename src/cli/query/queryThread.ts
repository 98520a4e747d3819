/**
 * The thread that a query runs in (cli/commands/query.ts starts it): a script that never ends, or a search that takes
 * too long, must not keep Ctrl-C from being heard. Questions to the recording are answered here, at once; the main
 * thread only listens to the user.
 */
import { visibleLines } from '../../base/visible.js';
import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { UserError } from '../../base/errors.js';
import { Cancelled } from '../../replay/timeline/work.js';
import { ReaderGone, writeFully } from '../output/output.js';
import { completions } from './queryCompletion.js';
import { QueryControl } from './queryControl.js';
import { type OpenedExecution, openedExecution } from '../opening/queryExecution.js';
import { shown } from './queryPrinter.js';
import { type CompiledScript, LIBRARY, messageOf, scriptMessage } from './queryScript.js';
import { compileText } from './queryText.js';
import { LIBRARY_PARTS } from '../../api/traces.js';

export interface QueryThreadData {
  readonly file: string;
  readonly shared: SharedArrayBuffer;
  readonly json: boolean;
  readonly limit: number;
  readonly colour: boolean;
  readonly args: readonly string[];
  readonly checkpointMemory?: number | undefined;
}

export type QueryRequest =
  /** To know whether it can be opened, before anything is asked. */
  | { readonly kind: 'open' }
  | { readonly kind: 'script'; readonly script: CompiledScript }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'complete'; readonly line: string }
  /** Nothing more will be asked. */
  | { readonly kind: 'end' };

export type QueryAnswer =
  | { readonly kind: 'done' }
  /** What of the recording cannot be used. */
  | { readonly kind: 'opened'; readonly lost: string | undefined }
  | { readonly kind: 'completions'; readonly candidates: readonly string[]; readonly replaced: string }
  /** What to say in one line. */
  | { readonly kind: 'failed'; readonly message: string; readonly status: number }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'readerGone' }
  /** A bug of ours, with its stack. */
  | { readonly kind: 'defect'; readonly message: string };

/** In place of import() where that does not work (bin/cachedScript.cjs); only defined there. */
declare const loadModule: ((url: string) => Promise<unknown>) | undefined;
const load = typeof loadModule === 'undefined' ? (url: string): Promise<unknown> => import(url) : loadModule;

/** A script's own place may be far down. */
const STACK_DEPTH = 200;
const FAILED = 1;

class QueryThread {
  private readonly control: QueryControl;
  private opened: OpenedExecution | undefined;

  constructor(private readonly data: QueryThreadData) {
    this.control = new QueryControl(data.shared);
    Error.stackTraceLimit = STACK_DEPTH;
    globalThis.console = new Console(new Lines(1), new Lines(2));
  }

  async answer(request: QueryRequest): Promise<QueryAnswer> {
    try {
      const { lost } = this.open();
      if (request.kind === 'open') return { kind: 'opened', lost };
      if (request.kind === 'complete') return { kind: 'completions', ...completions(request.line) };
      if (request.kind === 'script') await load(pathToFileURL(request.script.path).href);
      if (request.kind === 'text') await this.show(await compileText(request.text)());
      return { kind: 'done' };
    } catch (error) {
      return this.failure(error, request);
    } finally {
      this.opened?.store.save();
    }
  }

  private open(): OpenedExecution {
    if (this.opened !== undefined) return this.opened;
    const { control, data } = this;
    const work = { isCancelled: () => control.isCancelled, progress: (done: number, total: number) => control.tell(done / total) };
    this.opened = openedExecution(data.file, { work, checkpointMemory: data.checkpointMemory });
    const library = { ...LIBRARY_PARTS, execution: this.opened.execution, args: data.args };
    Object.assign(globalThis, { [Symbol.for(LIBRARY)]: library }, library);
    return this.opened;
  }

  private async show(value: unknown): Promise<void> {
    const text = await shown(value, this.data);
    if (text !== undefined) writeFully(1, Buffer.from(`${visibleLines(text, this.data.colour)}\n`));
  }

  private failure(error: unknown, request: QueryRequest): QueryAnswer {
    if (error instanceof Cancelled) return { kind: 'cancelled' };
    if (error instanceof ReaderGone) return { kind: 'readerGone' };
    const isOurs = error instanceof Error && error.name === 'InvariantError';
    if (isOurs) return { kind: 'defect', message: error.stack ?? error.message };
    const status = error instanceof UserError && this.opened === undefined ? error.exitCode : FAILED;
    return { kind: 'failed', message: request.kind === 'script' && this.opened !== undefined ? scriptMessage(error, request.script) : messageOf(error), status };
  }
}

/** What scripts print comes in the order in which they print it, also if they end right after. */
class Lines extends Writable {
  constructor(private readonly fd: number) {
    super({ decodeStrings: true });
  }

  override _write(bytes: Buffer, _encoding: string, done: (error?: Error) => void): void {
    writeFully(this.fd, bytes);
    done();
  }
}

const thread = new QueryThread(workerData as QueryThreadData);
parentPort?.on('message', (request: QueryRequest) => {
  if (request.kind === 'end') process.exit();
  void thread.answer(request).then((answer) => parentPort?.postMessage(answer, []));
});
