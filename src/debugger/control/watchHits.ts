/**
 * Watchpoints as something that a run stops at. The memory that a value comes from (of `a->b` the pointer and the
 * member) is watched; while the search goes by only its bytes are compared. When they have changed, the expression is
 * evaluated again: then it may be the same value after all, or come from other memory, and the run goes on.
 */
import { UserError } from '../../base/errors.js';
import { type GuestAddr, guestAddr } from '../../base/types.js';
import { at } from '../../replay/log/position.js';
import type { Condition, Hit, MemoryRange } from '../../replay/timeline/conditions.js';
import type { Execution } from '../../replay/timeline/execution.js';
import type { State } from '../../replay/timeline/state.js';
import type { Work } from '../../replay/timeline/work.js';
import { Backtrace } from '../program/backtrace.js';
import type { ProgramView } from '../program/programView.js';
import { type FrameId, isSameFrame, type VisibleFrame } from '../program/visibleFrame.js';
import type { BreakpointTable, Watchpoint } from './breakpoints.js';
import type { Evaluated, FrameEvaluator } from '../values/frameEvaluator.js';
import { holds } from './holds.js';
import type { Interest, ViewAt } from './running.js';
import type { Direction, Stop } from './stops.js';
import { around, isSameBytes, type WatchedBytes, watchedBytes } from './watchedBytes.js';

export interface WatchContext {
  readonly execution: Execution;
  readonly viewAt: ViewAt;
  readonly evaluator: FrameEvaluator;
  readonly table: BreakpointTable;
  readonly direction: Direction;
  readonly work: Work | undefined;
}

/** What the expression came to, and the bytes behind it. */
interface Known {
  readonly text: string;
  readonly key: string;
  readonly ranges: readonly MemoryRange[];
}

const UNKNOWN = '<error: value is not available>';
const MOST_FRAMES = 10_000;

export class WatchHits implements Interest<Stop> {
  readonly conditions: readonly Condition[];
  private readonly known: Known;
  private readonly ranges: readonly MemoryRange[];
  /** The bytes of the ranges when they were last looked at. */
  private bytes: WatchedBytes = [];
  /** Where the function that it belongs to returns to, and where it begins. */
  private readonly scopeEnds: readonly GuestAddr[];

  constructor(
    private readonly context: WatchContext,
    private readonly point: Watchpoint,
  ) {
    this.known = this.evaluate(context.execution.state);
    this.scopeEnds = this.findScopeEnds(context.execution.state);
    this.ranges = context.execution.meaning(this.known.ranges, point.owner);
    const { ranges, scopeEnds } = this;
    const memory: Condition[] = ranges.length === 0 ? [] : [{ kind: 'memory', access: point.access, ranges }];
    this.conditions = scopeEnds.length === 0 ? memory : [...memory, { kind: 'address', addresses: scopeEnds }];
  }

  begins(state: State): void {
    this.bytes = this.bytesIn(state);
  }

  accepts(hit: Hit, state: State): boolean {
    if (hit.kind === 'address') return this.isScopeEnd(hit, state);
    if (!this.isOwn(hit, state)) return false;
    // What the kernel writes is not there yet.
    if (hit.access?.by === 'kernel') return true;
    const before = this.bytes;
    this.bytes = this.bytesIn(state);
    if (this.point.access !== 'write') return this.isMet(hit, state);
    return !isSameBytes(before, this.bytes) && this.isMet(hit, state);
  }

  async stop(hit: Hit): Promise<Stop | undefined> {
    const { point, context } = this;
    if (hit.access === undefined) return this.leaveScope(hit);
    const [before, after] = await around({ ...context, standing: 'behind events' }, hit, (state) => this.evaluate(state));
    const isSame = before.key === after.key;
    if (point.access === 'write' && isSame) return undefined;
    point.hits++;
    if (point.ignore > 0) {
      point.ignore--;
      return undefined;
    }
    if (point.temporary) context.table.delete(point.number);
    const [old, now] = context.direction === 'forward' ? [before, after] : [after, before];
    return { kind: 'watchpoint', thread: hit.task, number: point.number, expression: point.title ?? point.expression, access: point.access, old: isSame ? undefined : old.text, new: now.text };
  }

  private async leaveScope(hit: Hit): Promise<Stop> {
    const { table, direction, execution, work } = this.context;
    table.delete(this.point.number);
    // Going back, to the call.
    if (direction === 'backward' && hit.position.time > 0) await execution.seek(at(hit.position.time - 1), work);
    return { kind: 'scope', thread: hit.task, number: this.point.number, expression: this.point.title ?? this.point.expression };
  }

  private isOwn(hit: Hit, state: State): boolean {
    if (this.point.thread !== undefined && this.point.thread !== hit.task) return false;
    const pidOf = (id: number): number | undefined => state.threads.find((thread) => thread.id === id)?.pid;
    return hit.task === this.point.owner || pidOf(hit.task) === pidOf(this.point.owner);
  }

  private isMet(hit: Hit, state: State): boolean {
    const { condition } = this.point;
    const view = condition === undefined ? undefined : this.context.viewAt(state, hit.task);
    return view === undefined || holds(condition, this.context.evaluator, view, () => new Backtrace(view).innermost);
  }

  private bytesIn(state: State): WatchedBytes {
    return watchedBytes(state, this.point.owner, this.ranges);
  }

  private evaluate(state: State): Known {
    const { evaluator, viewAt } = this.context;
    const { expression, owner, scope } = this.point;
    const view = viewAt(state, owner);
    if (view === undefined) return { text: UNKNOWN, key: '', ranges: this.point.fallback };
    try {
      const value = evaluator.evaluate(expression, view, scope === undefined ? new Backtrace(view).innermost : frameWith(view, scope));
      return { text: value.text, key: keyOf(value), ranges: value.reads };
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return { text: UNKNOWN, key: '', ranges: this.point.fallback };
    }
  }

  private findScopeEnds(state: State): GuestAddr[] {
    const { scope, owner } = this.point;
    const view = scope === undefined ? undefined : this.context.viewAt(state, owner);
    if (scope === undefined || view === undefined) return [];
    if (this.context.direction === 'backward') return [guestAddr(Number(scope.code))];
    const back = view.pointer(scope.stack - 8n);
    return back === undefined ? [] : [guestAddr(Number(back))];
  }

  private isScopeEnd(hit: Hit, state: State): boolean {
    const { scope, owner } = this.point;
    if (scope === undefined || hit.task !== owner) return false;
    const rsp = state.register(owner, 'rsp') ?? 0n;
    return this.context.direction === 'forward' ? rsp >= scope.stack : rsp + 8n === scope.stack;
  }
}

/** The frame of an activation, if it is (still) on the stack. */
export function frameWith(view: ProgramView, id: FrameId): VisibleFrame | undefined {
  const frames = new Backtrace(view, { pastMain: true });
  for (let level = 0; level < MOST_FRAMES; level++) {
    const frame = frames.frame(level);
    if (frame === undefined || frame.id.stack > id.stack) return undefined;
    if (isSameFrame(frame.id, id)) return frame;
  }
  return undefined;
}

function keyOf({ bytes, text }: Evaluated): string {
  return bytes === undefined ? text : bytes.join();
}
