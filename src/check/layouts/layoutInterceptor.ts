/**
 * Runs a program under a layout: variables are where it says before the first instruction, and blocks of the heap lie
 * one behind the other. Notes how processes end by signals, and what became of the patterns between variables.
 */
import type { Interceptor } from '../../linux/interception.js';
import type { Process } from '../../linux/process.js';
import type { SigInfo } from '../../linux/signals/siginfo.js';
import type { Task } from '../../linux/tasks/task.js';
import type { Stop } from '../../machine/stop.js';
import { Checker } from '../checker.js';
import { allOn } from '../run/choices.js';
import { type AppliedLayout, applyLayout, MAGIC, type PlacedThing } from './applyLayout.js';
import type { Layout } from './layout.js';
import type { Movables } from './movables.js';

export interface LayoutCrash {
  readonly signal: number;
  readonly time: number;
  readonly tid: number;
  readonly pid: number;
  readonly address: number;
}

/** A pattern behind a variable that was written over. */
export interface BrokenPattern extends PlacedThing {
  readonly first: number;
  readonly pid: number;
}

const NOTHING_APPLIED: AppliedLayout = { globals: [], magic: [], remarks: [] };

export class LayoutInterceptor implements Interceptor {
  readonly codeKey: string;
  readonly crashes: LayoutCrash[] = [];
  readonly broken: BrokenPattern[] = [];
  applied: AppliedLayout = NOTHING_APPLIED;
  /** It does nothing but to stand in for allocation functions. */
  private readonly heap: Checker;
  private readonly spaces = new WeakSet<Process['space']>();

  constructor(
    private readonly layout: Layout,
    private readonly movables: Movables,
    /** Path of the program, and where its file's address 0 is in memory. */
    private readonly program: { readonly path: string; biasIn(process: Process): number | undefined },
  ) {
    this.heap = new Checker(allOn([]), () => 'go on', {}, undefined, undefined, undefined, layout.heap);
    this.codeKey = `${this.heap.codeKey}/layout ${layout.number}`;
  }

  programStarted(process: Process): void {
    const bias = process.exe === this.program.path ? this.program.biasIn(process) : undefined;
    if (bias !== undefined) {
      this.applied = applyLayout(process, this.layout, this.movables, bias);
      this.spaces.add(process.space);
    }
    this.heap.programStarted(process);
  }

  forked(maker: Process, child: Process): void {
    if (this.spaces.has(maker.space)) this.spaces.add(child.space);
    this.heap.forked(maker, child);
  }

  called(task: Task, at: Parameters<Interceptor['called']>[1]): void {
    this.heap.called(task, at);
  }

  returnedAstray(task: Task, stop: Stop & { kind: 'astray' }): void {
    this.heap.returnedAstray(task, stop);
  }

  usedUndefined(task: Task, stop: Stop & { kind: 'undefined' }): void {
    this.heap.usedUndefined(task, stop);
  }

  threadEnded(task: Task, memoryLives: boolean): void {
    this.heap.threadEnded(task, memoryLives);
  }

  trapped(task: Task, stop: Stop & { kind: 'trap' }): boolean {
    return this.heap.trapped(task, stop);
  }

  faulted(): boolean {
    return false;
  }

  killed({ tid, process: { pid, cpu, world } }: Task, { signal }: SigInfo): void {
    this.crashes.push({ signal, tid, pid, time: world.instructions, address: cpu.rip });
  }

  /** Its memory is still there. */
  ended({ space, pid }: Process): void {
    if (!this.spaces.has(space)) return;
    for (const pattern of this.applied.magic) {
      const first = space.peek(pattern.begin, pattern.end - pattern.begin)?.findIndex((byte) => byte !== MAGIC) ?? -1;
      if (first >= 0) this.broken.push({ ...pattern, first: pattern.begin + first, pid });
    }
  }
}
