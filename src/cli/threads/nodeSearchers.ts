/**
 * Threads that search a recording: as many as there are processors, within reason. They start when they are needed
 * first.
 */
import os from 'node:os';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { InvariantError } from '../../base/assert.js';
import { UserError } from '../../base/errors.js';
import { threadScript } from '../../host/threadScript.js';
import { PackedHits } from '../../replay/timeline/parallel/packedHits.js';
import { BadStart, type FoundPart, type Searcher, SearcherLost, type Searchers, type SearchJob } from '../../replay/timeline/parallel/searchers.js';
import type { SoundEnd } from '../../replay/recordingFile/soundEnd.js';
import { Divergence } from '../../replay/play/divergence.js';
import type { SearchAnswer, SearchRequest, SearchThreadData } from './searchMessages.js';
import { ThreadControl } from './threadControl.js';

const MOST_THREADS = 8;

/** A recording's file that is open. */
export interface SearchedFile {
  readonly fd: number;
  readonly name: string;
  /** Where it ends that can be used, if that is not its end. */
  readonly end?: SoundEnd | undefined;
}

export class NodeSearchers implements Searchers {
  readonly count: number;
  private owners = 0;
  private threads: readonly ThreadSearcher[] | undefined;

  /** `script` is for tests. Where there is none (threadScript.ts), there are no threads. */
  constructor(
    private readonly file: SearchedFile,
    count = Math.min(os.availableParallelism(), MOST_THREADS),
    private readonly script = threadScript('cli/opening/searchThread'),
  ) {
    this.count = script === undefined ? 0 : count;
  }

  get all(): readonly Searcher[] {
    this.threads ??= this.start();
    return this.threads.filter(({ isAlive }) => isAlive);
  }

  newOwner(): number {
    return ++this.owners;
  }

  async pause(milliseconds: number): Promise<void> {
    await (milliseconds === 0 ? setImmediate() : setTimeout(milliseconds));
  }

  async close(): Promise<void> {
    await Promise.all((this.threads ?? []).map((thread) => thread.close()));
  }

  private start(): ThreadSearcher[] {
    const { script, file, count } = this;
    return script === undefined ? [] : Array.from({ length: count }, () => new ThreadSearcher(script, file));
  }
}

class ThreadSearcher implements Searcher {
  isAlive = true;
  private readonly control = new ThreadControl();
  private readonly thread: Worker;
  private job = 0;
  private waiting: { readonly resolve: (found: FoundPart | undefined) => void; readonly reject: (error: Error) => void } | undefined;

  constructor(script: string, { fd, name, end }: SearchedFile) {
    const workerData: SearchThreadData = { fd, name, end, shared: this.control.shared };
    this.thread = new Worker(script, { workerData, execArgv: [] });
    this.thread.on('message', (answer: SearchAnswer) => this.answered(answer));
    this.thread.on('error', (error) => this.ended(error.message));
    this.thread.on('exit', () => this.ended('it has ended'));
    this.thread.unref();
  }

  get done(): number {
    return this.control.done;
  }

  async search(job: SearchJob): Promise<FoundPart | undefined> {
    if (!this.isAlive) throw new SearcherLost('it has ended');
    this.job++;
    this.control.done = 0;
    this.thread.ref();
    const request: SearchRequest = { number: this.job, job };
    this.thread.postMessage(request, []);
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
    });
  }

  giveUp(): void {
    this.control.giveUp(this.job);
  }

  async close(): Promise<void> {
    await this.thread.terminate();
  }

  private answered(answer: SearchAnswer): void {
    const { waiting } = this;
    this.waiting = undefined;
    this.thread.unref();
    if (answer.kind === 'found') waiting?.resolve({ hits: new PackedHits(answer.hits), to: answer.to });
    else if (answer.kind === 'givenUp') waiting?.resolve(undefined);
    else waiting?.reject(errorOf(answer));
  }

  private ended(why: string): void {
    this.isAlive = false;
    this.waiting?.reject(new SearcherLost(why));
    this.waiting = undefined;
  }
}

function errorOf(answer: Exclude<SearchAnswer, { kind: 'found' } | { kind: 'givenUp' }>): Error {
  switch (answer.kind) {
    case 'badStart':
      return new BadStart();
    case 'divergence':
      return new Divergence(answer.time, answer.what);
    case 'userError':
      return new UserError(answer.message, answer.exitCode);
    case 'defect':
      return new InvariantError(answer.text);
  }
}
