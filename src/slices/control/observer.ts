/**
 * Listens to an observed stretch and follows control through it: which call each block belongs to, and which instance
 * each part of it depends on. If asked, it keeps the stretch, for slices to walk through.
 */
import type { FunctionGraph } from '../../graphs/functionGraph.js';
import type { LoggedBlocks } from '../../ir/loggedBlocks.js';
import type { ExecutionListener, Happening, ObservedRun } from '../../replay/timeline/observing.js';
import type { Stretch } from '../trace/stretch.js';
import { branch, CallStack, enter, type Frame, type Instance, NO_INSTANCE } from './callStack.js';
import { type BlockLayout, layoutOf } from './layouts.js';
import type { FollowedBlock, Generations, Program, Programs } from './programs.js';

const RT_SIGRETURN = 15;

/** What is known of a thread where a stretch begins or ends. */
export interface ThreadControl {
  readonly stack: CallStack;
  program: Program;
  /** How the last block ended, and its last instruction. */
  left: 'call' | 'return' | 'other' | 'begin';
  last: Instance;
  /** The address of that instruction. */
  from: number;
  /** Where the return address of the last call lies. */
  slot: number;
  /** The instruction that called, if it is the user's own; or what had called its library. */
  site: number;
  /** A signal has come: if it does not go on there, its handler begins. */
  signalled: { readonly rip: number; readonly parent: Instance } | undefined;
  /** Where the x87 stack begins. */
  top: number;
}

/** All threads, at one time. */
export interface ControlState {
  readonly threads: ReadonlyMap<number, ThreadControl>;
  readonly generations: Generations;
}

export const NOTHING_FOLLOWED: ControlState = { threads: new Map(), generations: new Map() };

function copyThreads(threads: ControlState['threads']): Map<number, ThreadControl> {
  return new Map([...threads].map(([thread, one]) => [thread, { ...one, stack: one.stack.copy() }]));
}

export class ControlObserver implements ExecutionListener {
  private readonly threads: Map<number, ThreadControl>;
  private readonly generations: Map<number, number>;
  /** What is being kept. */
  stretch: Stretch | undefined;
  /** Told after every run: where a stretch may end. */
  onRun: ((time: number) => void) | undefined;

  constructor(
    private readonly programs: Programs,
    state: ControlState,
  ) {
    this.threads = copyThreads(state.threads);
    this.generations = new Map(state.generations);
  }

  /** All that is known now, for another that goes on from here. */
  get state(): ControlState {
    return { threads: copyThreads(this.threads), generations: new Map(this.generations) };
  }

  ran(run: ObservedRun): void {
    const { blocks, addresses, known, thread } = run;
    const control = this.threads.get(thread) ?? this.begin(run);
    this.stretch?.reserve(blocks.length, addresses.length);
    this.stretch?.runs.push({ thread, space: control.program.space, first: this.stretch.count });
    this.follow(run, control, known, blocks, addresses);
    this.keepAddresses(addresses);
    this.onRun?.(run.end);
  }

  happened(happening: Happening): void {
    const { kind, task, rip, syscall, process, signal } = happening;
    const control = this.threads.get(task);
    this.stretch?.events.push({ after: this.stretch.count, happening, space: control?.program.space ?? -1 });
    if (control === undefined) return;
    if (kind === 'signal' && signal !== undefined) control.signalled = { rip, parent: parentNow(control) };
    if (kind === 'syscall' && syscall === RT_SIGRETURN) {
      control.stack.leaveHandler();
      control.left = 'other';
    }
    if (kind === 'process' && process?.how === 'executes') this.forget(control.program);
  }

  private forget(program: Program): void {
    for (const [thread, other] of this.threads) if (other.program === program) this.threads.delete(thread);
    this.generations.set(program.pid, (this.generations.get(program.pid) ?? 0) + 1);
  }

  private begin({ thread, state, time }: ObservedRun): ThreadControl {
    const program = this.programs.of(thread, state, this.generations);
    const made: ThreadControl = {
      stack: new CallStack(), program, left: 'begin', last: time - 1, from: 0, slot: Infinity, site: NO_INSTANCE, signalled: undefined, top: 0,
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
    // A signal may come right after a call: then the function that was called is the one that is interrupted.
    const isInterrupted = signalled !== undefined && signalled.rip !== start;
    control.signalled = undefined;
    if (control.left === 'call') this.enterCalled(control, isInterrupted ? signalled.rip : start, run);
    if (isInterrupted) this.push(control, NaN, signalled.parent, start, run, true);
    if (stack.frames.length === 0) this.push(control, Infinity, NO_INSTANCE, start, run, false);
    const layout = layoutOf(stack.top.graph, code, program.layouts);
    if (layout !== undefined) return layout;
    this.transfer(control, code, run);
    return layoutOf(stack.top.graph, code, program.layouts) ?? program.layouts.unknown;
  }

  private enterCalled({ stack, program, slot, last, site }: ThreadControl, start: number, run: ObservedRun): void {
    stack.call(this.frame(program.graphOf(start, run), { slot, caller: last, site: program.isOwnAt(start) ? NO_INSTANCE : site, isHandler: false }));
  }

  /** A jump has left the function: into one in whose place it goes on, or back into one that has called it. */
  private transfer(control: ThreadControl, code: FollowedBlock, run: ObservedRun): void {
    const { stack, program, last } = control;
    const { start } = code.logged;
    if (!program.isFunction(start)) {
      const { top } = stack;
      const isInside = program.isPartOf(top.graph.entry, start);
      const better = isInside ? program.learn(top.graph.entry, control.from, start) : undefined;
      if (better !== undefined) {
        top.graph = better;
        top.regions.length = 0;
        return;
      }
      if (stack.unwindTo(start)) return;
    }
    const { slot, site } = stack.top;
    stack.push(this.frame(program.graphOf(start, run), { slot, caller: last, site: program.isOwn(code) ? NO_INSTANCE : site, isHandler: false }));
  }

  private push(control: ThreadControl, slot: number, caller: Instance, start: number, run: ObservedRun, isHandler: boolean): void {
    control.stack.push(this.frame(control.program.graphOf(start, run), { slot, caller, site: NO_INSTANCE, isHandler }));
  }

  private frame(graph: FunctionGraph, parts: Pick<Frame, 'slot' | 'caller' | 'site' | 'isHandler'>): Frame {
    return { ...parts, graph, regions: [] };
  }
}

/** What the next instruction of the thread would depend on. */
function parentNow({ stack, last }: ThreadControl): Instance {
  const frame = stack.frames.at(-1);
  return frame === undefined ? last : (frame.regions.at(-1) ?? frame.caller);
}
