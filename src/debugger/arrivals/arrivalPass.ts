/**
 * Arrivals while a stretch of an execution is observed: every thread's trail, through signals, system calls and other
 * programs, and the rows of every program (blockRows.ts). Who counts says what the blocks are, and is told of those
 * that it watches.
 */
import type { LoggedBlock } from '../../ir/loggedBlocks.js';
import type { ExecutionListener, Happening, ObservedRun } from '../../replay/timeline/observing.js';
import { ArrivalLoop, type ToldBlock, type Trail } from './arrivalLoop.js';
import { BlockRows, freshTrail, type MetBlock } from './blockRows.js';

const RT_SIGRETURN = 15;

interface Interrupted {
  readonly rip: number;
  readonly trail: Trail;
}

/** A thread, as far as it has been observed. */
export interface TrailedThread {
  readonly id: number;
  readonly pid: number;
  trail: Trail;
}

interface PassThread<M extends MetBlock> extends TrailedThread {
  rows: BlockRows<M>;
  /** Where a signal has come to it: a handler begins, if it does not go on there. */
  signalled: Interrupted | undefined;
  readonly interrupted: Interrupted[];
  /** It has returned from a handler. */
  hasReturned: boolean;
}

export interface PassListener<M extends MetBlock> {
  /** What a block is that has not been seen before in its program. */
  meet(block: LoggedBlock, run: ObservedRun): M;
  /** A watched block was executed. The object is used again. */
  told?(told: ToldBlock, met: M, thread: TrailedThread): void;
  /** A handler begins in a thread, so deep; or the thread goes on where it was interrupted at that depth. */
  interrupted?(thread: TrailedThread, depth: number): void;
  resumed?(thread: TrailedThread, depth: number): void;
}

export class ArrivalPass<M extends MetBlock> implements ExecutionListener {
  /** Of all programs. */
  readonly programs: BlockRows<M>[] = [];
  instructions = 0;
  private readonly threads = new Map<number, PassThread<M>>();
  private readonly loop = new ArrivalLoop();

  constructor(private readonly listener: PassListener<M>) {}

  ran(run: ObservedRun): void {
    const { blocks, known, time } = run;
    const { listener } = this;
    const thread = this.threads.get(run.thread) ?? this.newThread(run);
    this.instructions += run.end - run.time;
    this.findTrail(thread, known.get(blocks[0] as number).start);
    const tell = listener.told === undefined ? undefined : (told: ToldBlock, met: M): void => listener.told?.(told, met, thread);
    thread.rows.count(blocks, known, thread.trail, time, (block) => listener.meet(block, run), tell);
  }

  happened({ kind, task, rip, syscall, process }: Happening): void {
    const thread = this.threads.get(task);
    if (thread === undefined) return;
    if (kind === 'signal') thread.signalled = { rip, trail: { ...thread.trail } };
    if (kind === 'syscall' && syscall === RT_SIGRETURN) thread.hasReturned = true;
    // Another program is executed: all that is known of the process is of the one before.
    if (kind === 'process' && process?.how === 'executes') for (const [id, { pid }] of this.threads) if (pid === thread.pid) this.threads.delete(id);
  }

  /** What follows is of another execution, which goes on where this one is: blocks have other numbers in it. */
  goOn(): void {
    const programs = new Map<BlockRows<M>, BlockRows<M>>();
    for (const thread of this.threads.values()) {
      const rows = programs.get(thread.rows) ?? this.newProgram();
      programs.set(thread.rows, rows);
      thread.rows = rows;
    }
  }

  /** Where a thread comes from, if it goes on at an address. */
  trailOf(id: number, start: number): Trail {
    const thread = this.threads.get(id);
    if (thread === undefined) return freshTrail();
    const { signalled, interrupted, hasReturned, trail } = thread;
    if (hasReturned) return { ...(interrupted.findLast(({ rip }) => rip === start)?.trail ?? trail) };
    return signalled !== undefined && signalled.rip !== start ? freshTrail() : { ...trail };
  }

  /** A signal may have come in between, or a handler returned: then what comes before is what was interrupted. */
  private findTrail(thread: PassThread<M>, start: number): void {
    const { signalled, interrupted } = thread;
    thread.signalled = undefined;
    if (thread.hasReturned) {
      const index = interrupted.findLastIndex(({ rip }) => rip === start);
      const [back] = index < 0 ? [] : interrupted.splice(index);
      thread.trail = back?.trail ?? thread.trail;
      thread.hasReturned = false;
      if (back !== undefined) this.listener.resumed?.(thread, index);
    } else if (signalled !== undefined && signalled.rip !== start) {
      this.listener.interrupted?.(thread, interrupted.length);
      interrupted.push(signalled);
      thread.trail = freshTrail();
    }
  }

  private newThread({ thread: id, state }: ObservedRun): PassThread<M> {
    const pid = state.threads.find((one) => one.id === id)?.pid ?? 0;
    const rows = [...this.threads.values()].find((other) => other.pid === pid)?.rows ?? this.newProgram();
    const made: PassThread<M> = { id, pid, rows, trail: freshTrail(), signalled: undefined, interrupted: [], hasReturned: false };
    this.threads.set(id, made);
    return made;
  }

  private newProgram(): BlockRows<M> {
    const made = new BlockRows<M>(this.loop);
    this.programs.push(made);
    return made;
  }
}
