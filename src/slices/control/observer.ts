/**
 * Listens to an observed stretch and follows control through it: which call each block belongs to, and which instance
 * each part of it depends on. If asked, it keeps the stretch, for slices to walk through.
 */
import type { FunctionGraph } from '../../graphs/functionGraph.js';
import type { LoggedBlocks } from '../../ir/loggedBlocks.js';
import type { ExecutionListener, Happening, KernelChange, ObservedRun } from '../../replay/timeline/observing.js';
import type { Stretch } from '../trace/stretch.js';
import { branch, CallStack, enter, wouldEnter, type Frame, type Handler, type Instance, NO_INSTANCE } from './callStack.js';
import { type BlockLayout, layoutOf } from './layouts.js';
import type { FollowedBlock, Generations, Program, Programs } from './programs.js';

/** Of the instruction. */
const SYSCALL_BYTES = 2;
/** As long as it is not known what the handler of a signal is. */
const NO_GRAPH: FunctionGraph = { entry: -1, name: undefined, nodes: [], returns: false, nodeAt: () => undefined };

/** What is known of a thread where a stretch begins or ends. */
export interface ThreadControl {
  readonly stack: CallStack;
  /** The system call that made the thread. */
  readonly maker: Instance;
  program: Program;
  /** The memory that it sees. */
  space: number;
  /** How the last block ended, and its last instruction. */
  left: 'call' | 'return' | 'other' | 'begin';
  last: Instance;
  /** The address of that instruction. */
  from: number;
  /** Where the return address of the last call lies. */
  slot: number;
  /** The instruction that called, if it is the user's own; or what had called its library. */
  site: number;
  /** Handlers of signals that are about to begin, and where the first of them came. */
  signalled: { readonly rip: number; readonly handlers: readonly Handler[] } | undefined;
  /** Where the x87 stack begins. */
  top: number;
}

/** What a thread that has not run yet has from the one that made it. */
interface Maker {
  /** The system call. */
  readonly instance: Instance;
  readonly top: number;
}

/** All threads, at one time. */
export interface ControlState {
  readonly threads: ReadonlyMap<number, ThreadControl>;
  readonly generations: Generations;
  readonly makers: ReadonlyMap<number, Maker>;
  /** The system call that each thread made last. */
  readonly systemCalls: ReadonlyMap<number, Instance>;
  /** How many handlers of signals there were. */
  readonly handlers: number;
}

export const NOTHING_FOLLOWED: ControlState = { threads: new Map(), generations: new Map(), makers: new Map(), systemCalls: new Map(), handlers: 0 };

function copyThreads(threads: ControlState['threads']): Map<number, ThreadControl> {
  return new Map([...threads].map(([thread, one]) => [thread, { ...one, stack: one.stack.copy() }]));
}

export class ControlObserver implements ExecutionListener {
  private readonly threads: Map<number, ThreadControl>;
  private readonly generations: Map<number, number>;
  private readonly makers: Map<number, Maker>;
  private readonly systemCalls: Map<number, Instance>;
  private handlers: number;
  /** What is being kept. */
  stretch: Stretch | undefined;
  /** Told before every run, when all that happened before it has been told: where a stretch may end. */
  onRun: ((time: number) => void) | undefined;

  constructor(
    private readonly programs: Programs,
    state: ControlState,
  ) {
    this.threads = copyThreads(state.threads);
    this.generations = new Map(state.generations);
    this.makers = new Map(state.makers);
    this.systemCalls = new Map(state.systemCalls);
    this.handlers = state.handlers;
  }

  /** All that is known now, for another that goes on from here. */
  get state(): ControlState {
    const { threads, generations, makers, systemCalls, handlers } = this;
    return { threads: copyThreads(threads), generations: new Map(generations), makers: new Map(makers), systemCalls: new Map(systemCalls), handlers };
  }

  ran(run: ObservedRun): void {
    const { blocks, addresses, known, thread } = run;
    this.onRun?.(run.time);
    const control = this.threads.get(thread) ?? this.begin(run);
    control.space = run.space;
    this.stretch?.reserve(blocks.length, addresses.length);
    this.stretch?.runs.push({ thread, space: run.space, first: this.stretch.count });
    this.follow(run, control, known, blocks, addresses);
    this.keepAddresses(addresses);
  }

  happened(happening: Happening): void {
    const { kind, task, process, access } = happening;
    const { stretch } = this;
    const control = this.threads.get(task);
    const isInterrupted = kind === 'memory' && access?.by === 'program';
    if (kind === 'syscall') this.systemCalls.set(task, happening.position.time);
    if (kind === 'syscall' || isInterrupted) stretch?.events.push({ after: stretch.count, happening, space: control?.space ?? -1 });
    if (control !== undefined && kind === 'process' && process?.how === 'executes') this.forget(control.program, task);
  }

  changed(change: KernelChange, time: number): void {
    const { stretch } = this;
    const handler = this.handlerOf(change);
    const task = change.kind === 'thread' ? change.by : 'task' in change ? change.task : 0;
    const instance = this.systemCallOf(task);
    if (change.kind === 'thread') this.makers.set(change.task, { instance, top: this.threads.get(task)?.top ?? 0 });
    stretch?.events.push({ after: stretch.count, change, time, instance, handler });
  }

  /** The system call that the thread is in. */
  private systemCallOf(task: number): Instance {
    const call = this.systemCalls.get(task) ?? NO_INSTANCE;
    const control = this.threads.get(task);
    return control === undefined || control.last === call ? call : NO_INSTANCE;
  }

  /** Of the beginning or end of a handler: its number. */
  private handlerOf(change: KernelChange): number {
    if (change.kind !== 'handler' && change.kind !== 'handled') return -1;
    const control = this.threads.get(change.task);
    if (control === undefined) return -1;
    if (change.kind === 'handler') {
      const handler = { number: this.handlers++, top: control.top };
      const { rip, handlers } = control.signalled ?? { rip: change.rip ?? control.from + SYSCALL_BYTES, handlers: [] };
      control.signalled = { rip, handlers: [...handlers, handler] };
      control.top = 0;
      return handler.number;
    }
    const left = control.stack.leaveHandler();
    control.left = 'other';
    if (left !== undefined) control.top = left.top;
    return left?.number ?? -1;
  }

  /** The program of a process is replaced by another, which the thread's system call lets happen. */
  private forget(program: Program, task: number): void {
    this.makers.set(task, { instance: this.systemCallOf(task), top: 0 });
    for (const [thread, other] of this.threads) if (other.program === program) this.threads.delete(thread);
    this.generations.set(program.pid, (this.generations.get(program.pid) ?? 0) + 1);
  }

  private begin({ thread, state, time }: ObservedRun): ThreadControl {
    const program = this.programs.of(thread, state, this.generations);
    const maker = this.makers.get(thread);
    this.makers.delete(thread);
    const made: ThreadControl = {
      stack: new CallStack(), program, left: 'begin', space: 0, last: time - 1, from: 0, slot: Infinity, site: NO_INSTANCE, signalled: undefined,
      top: maker?.top ?? 0, maker: maker?.instance ?? NO_INSTANCE,
    };
    this.threads.set(thread, made);
    return made;
  }

  private keepAddresses(addresses: Float64Array): void {
    const { stretch } = this;
    if (stretch === undefined) return;
    stretch.addresses.set(addresses, stretch.addressCount);
    stretch.addressCount += addresses.length;
  }

  private follow(run: ObservedRun, control: ThreadControl, known: LoggedBlocks, blocks: Uint32Array, addresses: Float64Array): void {
    const { stretch } = this;
    const { program, stack } = control;
    let { time } = run;
    let [entry, offset] = [0, stretch === undefined ? 0 : time - stretch.time];
    const base = stretch?.addressCount ?? 0;
    for (let i = 0; i < blocks.length; i++) {
      const number = blocks[i] as number;
      const code = program.code[number] ?? program.meet(known.get(number), run);
      const { logged } = code;
      const length = logged.lengths.length;
      const layout = this.arrive(control, code, run);
      const frame = stack.top;
      if (stretch !== undefined) {
        const at = stretch.count++;
        stretch.blocks[at] = code.index;
        stretch.times[at] = offset;
        stretch.addressStarts[at] = base + entry;
        stretch.layouts[at] = layout.number;
        stretch.partStarts[at] = stretch.partCount;
        stretch.sites[at] = frame.site;
        if (code.usesX87) stretch.tops.set(at, control.top);
      }
      const { nodes } = layout;
      for (let k = 0; k < nodes.length; k++) {
        const parent = enter(frame, nodes[k] as number);
        stretch?.addPart(parent);
      }
      time += length;
      offset += length;
      control.last = time - 1;
      control.from = code.last.address;
      if (layout.branch !== undefined) branch(frame, layout.branch, time - 1);
      if (code.usesX87) control.top = program.topAfter(code, control.top);
      control.left = 'other';
      if (logged.end === 'call') {
        control.left = 'call';
        control.slot = addresses[entry + code.lastEntry] as number;
        control.site = frame.site >= 0 ? frame.site : program.isOwn(code) ? code.last.id : frame.site;
      } else if (logged.end === 'return') {
        control.left = 'return';
        stack.return(addresses[entry + code.lastEntry] as number);
      }
      entry += logged.entries;
    }
  }

  /** Finds the call that a block belongs to, and where the block's parts are in its function. */
  private arrive(control: ThreadControl, code: FollowedBlock, run: ObservedRun): BlockLayout {
    const { stack, program, signalled } = control;
    const { start } = code.logged;
    control.signalled = undefined;
    // A signal may come right after a call: then the function that was called is the one that is interrupted.
    if (control.left === 'call') this.enterCalled(control, signalled?.rip ?? start, run);
    if (signalled !== undefined) interrupt(control, signalled);
    if (stack.frames.length === 0) this.beginThread(control, start, run);
    if (stack.top.graph === NO_GRAPH) stack.top.graph = program.graphOf(start, run);
    const layout = layoutOf(stack.top.graph, code, program.layouts);
    if (layout !== undefined) return layout.beyond === undefined || !learn(stack.top, program, layout.beyond) ? layout : (layoutOf(stack.top.graph, code, program.layouts) ?? layout);
    this.transfer(control, code, run);
    return layoutOf(stack.top.graph, code, program.layouts) ?? program.layouts.unknown;
  }

  private enterCalled({ stack, program, slot, last, site }: ThreadControl, start: number, run: ObservedRun): void {
    stack.call(this.frame(program.graphOf(start, run), { slot, caller: last, site: program.isOwnAt(start) ? NO_INSTANCE : site }));
  }

  /** A jump has left the function: into one in whose place it goes on, or back into one that has called it. */
  private transfer(control: ThreadControl, code: FollowedBlock, run: ObservedRun): void {
    const { stack, program, last } = control;
    const { start } = code.logged;
    if (!program.isFunction(start)) {
      const { top } = stack;
      if (learn(top, program, { from: control.from, address: start }) || stack.unwindTo(start)) return;
    }
    const { slot, site } = stack.top;
    stack.push(this.frame(program.graphOf(start, run), { slot, caller: last, site: program.isOwn(code) ? NO_INSTANCE : site }));
  }

  private beginThread({ stack, program, maker }: ThreadControl, start: number, run: ObservedRun): void {
    stack.push(this.frame(program.graphOf(start, run), { slot: Infinity, caller: maker, site: NO_INSTANCE }));
  }

  private frame(graph: FunctionGraph, parts: Pick<Frame, 'slot' | 'caller' | 'site' | 'handler'>): Frame {
    return { ...parts, graph, regions: [] };
  }
}

/** Control came to a place in the function that its graph does not know: then it is made anew, and true is returned. */
function learn(frame: Frame, program: Program, { from, address }: { readonly from: number; readonly address: number }): boolean {
  const { entry } = frame.graph;
  const better = program.isPartOf(entry, address) ? program.learn(entry, from, address) : undefined;
  if (better === undefined) return false;
  frame.graph = better;
  frame.regions.length = 0;
  return true;
}

/** Handlers begin, the last one first. They depend on what the next instruction would have depended on. */
function interrupt({ stack, maker }: ThreadControl, { rip, handlers }: NonNullable<ThreadControl['signalled']>): void {
  const { top } = stack;
  const caller = stack.frames.length === 0 ? maker : wouldEnter(top, top.graph.nodeAt(rip)?.index);
  for (const handler of handlers) stack.push({ slot: NaN, caller, site: NO_INSTANCE, handler, graph: NO_GRAPH, regions: [] });
}
