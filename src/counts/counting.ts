/**
 * Line and call counts of a stretch of an execution, of all its threads and processes together.
 *
 * A *call* is an arrival at a function's first instruction other than by a jump within the function: by a call, by a
 * jump
 * from another function, by a signal. A line is counted when control comes to it from another line, or jumps back
 * within
 * it; that its calls return to it does not count.
 */
import type { ModuleFile } from '../debugger/program/moduleFile.js';
import type { Modules } from '../debugger/program/modules.js';
import { ProgramView } from '../debugger/program/programView.js';
import type { LoggedBlock } from '../ir/loggedBlocks.js';
import type { Position } from '../replay/log/position.js';
import type { Execution } from '../replay/timeline/execution.js';
import type { ExecutionListener, Happening, ObservedRun } from '../replay/timeline/observing.js';
import type { Work } from '../replay/timeline/work.js';
import { BlockCounts, freshTrail, type MetBlock } from './blockCounts.js';
import type { CodeFunction } from '../debugger/program/codeFunctions.js';
import { CodePlaces } from './codePlaces.js';
import { CountLoop, type Trail } from './countLoop.js';
import { SourceLines } from './sourceLines.js';

const RT_SIGRETURN = 15;

export interface FunctionCount {
  readonly function: CodeFunction;
  readonly calls: number;
  /** Its own, without what it calls. */
  readonly instructions: number;
  /** Whether it is the user's own code. */
  readonly isOwn: boolean;
}

export interface Counts {
  /** Those that were executed, in no order. */
  readonly functions: readonly FunctionCount[];
  /** By path, then by line. */
  readonly lines: ReadonlyMap<string, ReadonlyMap<number, number>>;
  readonly instructions: number;
  /** Programs and libraries of which something was executed. */
  readonly modules: readonly ModuleFile[];
}

/** Counts what is executed in [from, to); everything, if it is not said. The position stays. */
export async function countStretch(execution: Execution, modules: Modules, { from, to }: { from?: Position; to?: Position } = {}, work?: Work): Promise<Counts> {
  const counting = new Counting(modules);
  await execution.observe({ addresses: false }, counting, from, to, work);
  return counting.result();
}

interface CountedThread {
  readonly pid: number;
  readonly program: BlockCounts;
  trail: Trail;
  /** Where a signal has come to it: a handler begins, if it does not go on there. */
  signalled: { readonly rip: number; readonly trail: Trail } | undefined;
  readonly interrupted: { readonly rip: number; readonly trail: Trail }[];
  /** It has returned from a handler. */
  hasReturned: boolean;
}

class Counting implements ExecutionListener {
  private readonly lines = new SourceLines();
  private readonly places = new CodePlaces(this.lines);
  private readonly threads = new Map<number, CountedThread>();
  private readonly programs: BlockCounts[] = [];
  private readonly loop = new CountLoop();
  private instructions = 0;

  constructor(private readonly modules: Modules) {}

  ran(run: ObservedRun): void {
    const { blocks, known } = run;
    const thread = this.threads.get(run.thread) ?? this.newThread(run);
    this.instructions += run.end - run.time;
    this.findTrail(thread, known.get(blocks[0] as number).start);
    let view: ProgramView | undefined;
    thread.program.count(blocks, known, thread.trail, (block) => this.meet(block, (view ??= this.viewOf(run))));
  }

  happened({ kind, task, rip, syscall, process }: Happening): void {
    const thread = this.threads.get(task);
    if (thread === undefined) return;
    if (kind === 'signal') thread.signalled = { rip, trail: { ...thread.trail } };
    if (kind === 'syscall' && syscall === RT_SIGRETURN) thread.hasReturned = true;
    // Another program is executed: all that is known of the process is of the one before.
    if (kind === 'process' && process?.how === 'executes') for (const [id, { pid }] of this.threads) if (pid === thread.pid) this.threads.delete(id);
  }

  result(): Counts {
    const functions = new Map<CodeFunction, { calls: number; instructions: number }>();
    const lines = new Map<number, number>();
    for (const program of this.programs) {
      for (const [number, { places }] of program.met) {
        const { count, entered, arrived } = program.of(number);
        let [last, times] = [0, entered];
        places.forEach(({ function: one, isEntry, line }, i) => {
          if (line !== 0 && (i === 0 || line !== last)) lines.set(line, (lines.get(line) ?? 0) + times);
          if (line !== 0) last = line;
          times = count;
          if (one === undefined) return;
          const sum = functions.get(one) ?? { calls: 0, instructions: 0 };
          functions.set(one, sum);
          sum.instructions += count;
          if (isEntry) sum.calls += i === 0 ? arrived : count;
        });
      }
    }
    return {
      functions: [...functions].map(([one, sums]) => ({ function: one, ...sums, isOwn: this.places.isOwn(one) })),
      lines: this.byPath(lines), instructions: this.instructions, modules: this.places.modules,
    };
  }

  private byPath(lines: ReadonlyMap<number, number>): Map<string, Map<number, number>> {
    const paths = new Map<string, Map<number, number>>();
    for (const [number, count] of lines) {
      const { path, line } = this.lines.placeOf(number);
      const own = paths.get(path) ?? new Map<number, number>();
      paths.set(path, own.set(line, count));
    }
    return paths;
  }

  /** A signal may have come in between, or a handler returned: then what comes before is what was interrupted. */
  private findTrail(thread: CountedThread, start: number): void {
    const { signalled, interrupted } = thread;
    thread.signalled = undefined;
    if (thread.hasReturned) {
      const index = interrupted.findLastIndex(({ rip }) => rip === start);
      const [back] = index < 0 ? [] : interrupted.splice(index);
      thread.trail = back?.trail ?? thread.trail;
      thread.hasReturned = false;
    } else if (signalled !== undefined && signalled.rip !== start) {
      interrupted.push(signalled);
      thread.trail = freshTrail();
    }
  }

  private newThread({ thread: id, state }: ObservedRun): CountedThread {
    const pid = state.threads.find((one) => one.id === id)?.pid ?? 0;
    const program = [...this.threads.values()].find((other) => other.pid === pid)?.program ?? new BlockCounts(this.loop);
    if (!this.programs.includes(program)) this.programs.push(program);
    const made: CountedThread = { pid, program, trail: freshTrail(), signalled: undefined, interrupted: [], hasReturned: false };
    this.threads.set(id, made);
    return made;
  }

  private viewOf({ state, thread }: ObservedRun): ProgramView {
    return new ProgramView(state, state.threads.find(({ id }) => id === thread) ?? { id: thread, tid: 0, pid: 0, name: '' }, this.modules);
  }

  private meet(block: LoggedBlock, view: ProgramView): MetBlock {
    const module = view.moduleAt(BigInt(block.start));
    return { block, module, places: this.places.placesOf(block, module, view), lineBefore: this.places.lineAt(block.start - 1, module) };
  }
}
