/**
 * Requests that wait at an object of the kernel, first come, first served. The task that changes the object
 * completes those that can go on now; the tasks find their results when they look. A request whose task
 * gave up (a signal, a timeout, its end) leaves the line.
 */
import { E } from '../../base/errno.js';
import type { Process } from '../process.js';
import { type Wait, type WaitOptions, waitUntil } from '../waiting.js';

interface Waiting<Request> {
  readonly request: Request;
  /** Set when it is complete. */
  result: number | undefined;
}

export class WaitingLine<Request> {
  private line: Waiting<Request>[] = [];

  get requests(): readonly Request[] {
    return this.line.map(({ request }) => request);
  }

  get isEmpty(): boolean {
    return this.line.length === 0;
  }

  /** Waits in line; `accept` is run by the task itself once its request is complete, and may change the result. */
  wait(p: Process, request: Request, options: WaitOptions, accept: (result: number) => number = (result) => result): Wait {
    const entry: Waiting<Request> = { request, result: undefined };
    this.line.push(entry);
    const attempt = (): number => (entry.result === undefined ? -E.AGAIN : accept(entry.result));
    return waitUntil(p, attempt, options).after((result) => {
      this.line = this.line.filter((other) => other !== entry);
      return result;
    });
  }

  /** Completes the first request for which `decide` has a result, which is returned. */
  completeFirst(decide: (request: Request) => number | undefined): number | undefined {
    for (const entry of this.line) {
      entry.result = decide(entry.request);
      if (entry.result === undefined) continue;
      this.line = this.line.filter((other) => other !== entry);
      return entry.result;
    }
    return undefined;
  }

  completeAll(result: number): void {
    for (const entry of this.line) entry.result = result;
    this.line = [];
  }
}
