/** Work that may take a while: after a second the client is told how far it is, and it can be given up at any time. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Work } from '../replay/timeline/work.js';
import type { SendEvent } from './client.js';

interface WorkSettings {
  readonly title: string;
  /** The request that it is done for. */
  readonly request: number | undefined;
  readonly now: () => number;
  readonly breathe: () => Promise<void>;
  /** Undefined if the client wants to hear nothing. */
  readonly send: SendEvent | undefined;
}

const SILENT_MILLISECONDS = 1000;
const INTERVAL_MILLISECONDS = 250;

export class LongWork implements Work {
  private readonly began: number;
  private last = 0;
  private isShown = false;
  private isOver = false;
  /** The highest that was shown; undefined if it is not known how much there is. */
  private percentage: number | undefined = 0;

  constructor(
    readonly id: string,
    readonly settings: WorkSettings,
    private cancelled = false,
  ) {
    this.began = settings.now();
  }

  cancel(): void {
    this.cancelled = true;
  }

  isCancelled(): boolean {
    return this.cancelled;
  }

  async breathe(): Promise<void> {
    await this.settings.breathe();
  }

  progress(done: number, total: number): void {
    this.report(undefined, total > 0 ? Math.min(100, Math.floor((done / total) * 100)) : undefined);
  }

  /** What is shown never goes backward: if another part of the work begins anew, it is not known how much there is. */
  private rising(percentage: number | undefined): number | undefined {
    this.percentage = percentage === undefined || this.percentage === undefined || percentage < this.percentage ? undefined : percentage;
    return this.percentage;
  }

  /** Without knowing how much there is to do. */
  report(message: string | undefined, percentage?: number): void {
    const { now, send, title, request } = this.settings;
    const time = now();
    if (send === undefined || this.isOver || time - this.began < SILENT_MILLISECONDS || time - this.last < INTERVAL_MILLISECONDS) return;
    this.last = time;
    const risen = this.rising(percentage);
    const rest = { ...(message === undefined ? {} : { message }), ...(risen === undefined ? {} : { percentage: risen }) };
    if (this.isShown) send<DebugProtocol.ProgressUpdateEvent>('progressUpdate', { progressId: this.id, ...rest });
    else send<DebugProtocol.ProgressStartEvent>('progressStart', { progressId: this.id, title, cancellable: true, ...(request === undefined ? {} : { requestId: request }), ...rest });
    this.isShown = true;
  }

  end(): void {
    if (this.isShown && !this.isOver) this.settings.send?.<DebugProtocol.ProgressEndEvent>('progressEnd', { progressId: this.id });
    this.isOver = true;
  }
}

/** Everything that is under way, by its name and by its request. */
export class WorkList {
  private readonly all = new Set<LongWork>();
  private next = 1;

  constructor(private readonly common: () => Pick<WorkSettings, 'now' | 'breathe' | 'send'>) {}

  async doing<T>(title: string, request: number | undefined, action: (work: LongWork) => Promise<T>): Promise<T> {
    const work = new LongWork(`work-${this.next++}`, { title, request, ...this.common() });
    this.all.add(work);
    try {
      return await action(work);
    } finally {
      this.all.delete(work);
      work.end();
    }
  }

  /** Whether there was such work. */
  cancel(which: { readonly request?: number | undefined; readonly id?: string | undefined }): boolean {
    const meant = [...this.all].filter((work) => work.id === which.id || (which.request !== undefined && work.settings.request === which.request));
    for (const work of meant) work.cancel();
    return meant.length > 0;
  }

  cancelAll(): void {
    for (const work of this.all) work.cancel();
  }
}
