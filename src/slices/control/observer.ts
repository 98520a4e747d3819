/**
 * Listens to an observed stretch and follows control through it: which call each block belongs to, and which instance
 * each part of it depends on. It fills the stretch, for slices to walk through.
 */
import type { FunctionGraph } from '../../graphs/functionGraph.js';
import type { ExecutionListener, Happening, ObservedRun } from '../../replay/timeline/observing.js';
import { ENDS } from '../trace/codeTable.js';
import { type BlockRef, type Layout, NO_REF, type Stretch } from '../trace/stretch.js';
import { CallStack, type Instance, NO_INSTANCE, type StackCopy } from './callStack.js';
import type { FollowedBlock, Generations, Program, Programs } from './programs.js';

const RT_SIGRETURN = 15;

/** A signal has come: if control does not go on there, its handler begins. */
interface Signalled<Place> {
  readonly rip: number;
  readonly parent: Place;
}

/** What is known of a thread. Places are instances where a stretch begins, and blocks inside of it. */
interface ThreadParts<Place> {
  program: Program;
  /** How the last block ended: as `ends` of a block. */
  left: number;
  last: Place;
  /** The address of its last instruction. */
  from: number;
  /** Where the return address of the last call lies. */
  slot: number;
  /** The instruction that called, if it is the user's own; or what had called its library. */
  site: number;
  signalled: Signalled<Place> | undefined;
  /** Where the x87 stack begins. */
  top: number;
}

interface ThreadControl extends ThreadParts<BlockRef> {
  readonly stack: CallStack;
}

interface ThreadState extends ThreadParts<Instance> {
  readonly stack: StackCopy;
}

/** All threads, at one time. */
export interface ControlState {
  readonly threads: ReadonlyMap<number, ThreadState>;
  readonly generations: Generations;
}

export const NOTHING_FOLLOWED: ControlState = { threads: new Map(), generations: new Map() };

/** Of what blocks know of the functions that they begin: others that make graphs anew have other numbers. */
let versions = 0;

export class ControlObserver implements ExecutionListener {
  private readonly threads = new Map<number, ThreadControl>();
  private readonly generations: Map<number, number>;
  private version = ++versions;
  /** Told after every run: where a stretch may end. */
  onRun: ((time: number) => void) | undefined;

  constructor(
    private readonly programs: Programs,
    state: ControlState,
    private stretch: Stretch,
  ) {
    this.generations = new Map(state.generations);
    const refOf = (instance: Instance): BlockRef => stretch.refOf(instance);
    for (const [thread, one] of state.threads) this.threads.set(thread, { ...placed(one, refOf), stack: CallStack.from(one.stack, refOf) });
  }

  /** All that is known now, for another that goes on from here. The stretch must have its end. */
  get state(): ControlState {
    const { stretch } = this;
    const instanceOf = (ref: BlockRef): Instance => stretch.instanceOf(ref);
    const threads = [...this.threads].map(([thread, one]) => [thread, { ...placed(one, instanceOf), stack: one.stack.copy(instanceOf) }] as const);
    return { threads: new Map(threads), generations: new Map(this.generations) };
  }

  /** The stretch has ended, and was put away as `before`: another begins. */
  goOn(before: Stretch, next: Stretch): void {
    const refOf = (ref: BlockRef): BlockRef => next.refOf(before.instanceOf(ref));
    for (const [thread, one] of this.threads) {
      one.stack.rebase(refOf);
      this.threads.set(thread, { ...placed(one, refOf), stack: one.stack });
    }
    this.stretch = next;
  }

  ran(run: ObservedRun): void {
    const { blocks, addresses, thread } = run;
    const control = this.threads.get(thread) ?? this.begin(run);
    this.stretch.begin(thread, control.program.space, blocks.length, addresses);
    this.follow(run, control, this.stretch);
    this.onRun?.(run.end);
  }

  happened(happening: Happening): void {
    const { kind, task, rip, syscall, process, signal } = happening;
    const control = this.threads.get(task);
    this.stretch.events.push({ after: this.stretch.count, happening, space: control?.program.space ?? -1 });
    if (control === undefined) return;
    if (kind === 'signal' && signal !== undefined) control.signalled = { rip, parent: parentNow(control) };
    if (kind === 'syscall' && syscall === RT_SIGRETURN) {
      control.stack.leaveHandler();
      control.left = ENDS.other;
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
      stack: new CallStack(), program, left: ENDS.other, last: this.stretch.refOf(time - 1), from: 0, slot: Infinity, site: NO_INSTANCE,
      signalled: undefined, top: 0,
    };
    this.threads.set(thread, made);
    return made;
  }

  /** The inner loop: everything in it is done for each block that is executed. */
  private follow(run: ObservedRun, control: ThreadControl, stretch: Stretch): void {
    const { blocks, addresses, known } = run;
    const { program, stack } = control;
    const { code: codes } = program;
    const { layouts, times, sites } = stretch;
    let { parents } = stretch;
    let [entry, offset, part, at] = [0, run.time - stretch.time, stretch.partCount, stretch.count];
    for (let i = 0; i < blocks.length; i++) {
      const number = blocks[i] as number;
      const code = codes[number] ?? program.meet(known.get(number), run);
      if (control.left === ENDS.call || control.signalled !== undefined || stack.depth === 0) this.arrive(control, code, run);
      const { graph } = stack;
      const layout = (code.graph === graph ? code.layout : undefined) ?? this.layoutOf(control, code, run);
      const { site } = stack;
      layouts[at] = layout.number;
      times[at] = offset;
      sites[at] = site;
      if (code.usesX87) {
        stretch.tops.set(at, control.top);
        control.top = program.topAfter(code, control.top);
      }
      const { nodes, parts } = layout;
      if (part + parts > parents.length) {
        stretch.partCount = part;
        stretch.reserveParts(parts + blocks.length);
        ({ parents } = stretch);
      }
      for (let k = 0; k < parts; k++) parents[part++] = stack.enter(nodes[k] as number);
      if (layout.branch >= 0) stack.branch(layout.branch, layout.branchEnd, at);
      control.last = at;
      stretch.count = ++at;
      offset += code.length;
      const { ends } = code;
      control.left = ends;
      if (ends === ENDS.call) {
        control.slot = addresses[entry + code.lastEntry] as number;
        control.site = site >= 0 ? site : program.isOwn(code) ? code.last.id : site;
      } else if (ends === ENDS.return) stack.return(addresses[entry + code.lastEntry] as number);
      control.from = code.lastAddress;
      entry += code.entries;
    }
    stretch.partCount = part;
  }

  /** After a call or a signal, or where nothing is known yet: finds the call that a block belongs to. */
  private arrive(control: ThreadControl, code: FollowedBlock, run: ObservedRun): void {
    const { stack, signalled } = control;
    const { start } = code;
    // A signal may come right after a call: then the function that was called is the one that is interrupted.
    const isInterrupted = signalled !== undefined && signalled.rip !== start;
    control.signalled = undefined;
    if (control.left === ENDS.call) {
      if (isInterrupted) this.enterCalled(control, signalled.rip, run);
      else this.enterBlock(control, code, run);
    }
    if (isInterrupted) this.push(control, NaN, signalled.parent, start, run, true);
    if (stack.depth === 0) this.push(control, Infinity, NO_REF, start, run, false);
  }

  /** Where a block's parts are in its function. If it is in another, control goes there. */
  private layoutOf(control: ThreadControl, code: FollowedBlock, run: ObservedRun): Layout {
    const { stack, program: { layouts } } = control;
    let layout = layouts.of(stack.graph, code);
    if (layout === undefined) {
      this.transfer(control, code, run);
      layout = layouts.of(stack.graph, code);
    }
    if (layout === undefined) return layouts.unknownOf(code);
    code.graph = stack.graph;
    code.layout = layout;
    return layout;
  }

  /** The same as `enterCalled`, with what the block remembers from the last time. */
  private enterBlock(control: ThreadControl, code: FollowedBlock, run: ObservedRun): void {
    const { program, stack, slot, last, site } = control;
    stack.call(this.functionOf(program, code, run), slot, last, program.isOwn(code) ? NO_INSTANCE : site);
  }

  /** That begins with a block. */
  private functionOf(program: Program, code: FollowedBlock, run: ObservedRun): FunctionGraph {
    if (code.version !== this.version || code.entered === undefined) {
      code.version = this.version;
      code.entered = program.graphOf(code.start, run);
      code.isFunction = program.isFunction(code.start);
    }
    return code.entered;
  }

  private enterCalled({ stack, program, slot, last, site }: ThreadControl, start: number, run: ObservedRun): void {
    stack.call(program.graphOf(start, run), slot, last, program.isOwnAt(start) ? NO_INSTANCE : site);
  }

  /** A jump has left the function: into one in whose place it goes on, or back into one that has called it. */
  private transfer(control: ThreadControl, code: FollowedBlock, run: ObservedRun): void {
    const { stack, program, last } = control;
    const { start } = code;
    if (!(code.version === this.version ? code.isFunction : program.isFunction(start))) {
      const { entry } = stack.graph;
      const isInside = program.isPartOf(entry, start);
      const better = isInside ? program.learn(entry, control.from, start) : undefined;
      if (better !== undefined) {
        this.version = ++versions;
        stack.replaceGraph(better);
        return;
      }
      if (stack.unwindTo(start)) return;
    }
    const { slot, site } = stack;
    stack.push(this.functionOf(program, code, run), { slot, caller: last, site: program.isOwn(code) ? NO_INSTANCE : site, isHandler: false });
  }

  private push(control: ThreadControl, slot: number, caller: BlockRef, start: number, run: ObservedRun, isHandler: boolean): void {
    control.stack.push(control.program.graphOf(start, run), { slot, caller, site: NO_INSTANCE, isHandler });
  }
}

/** What the next instruction of the thread would depend on. */
function parentNow({ stack, last }: ThreadControl): BlockRef {
  return stack.depth === 0 ? last : stack.parent;
}

function placed<From, To>(one: ThreadParts<From>, toOf: (from: From) => To): ThreadParts<To> {
  const { program, left, last, from, slot, site, signalled, top } = one;
  return { program, left, last: toOf(last), from, slot, site, top, signalled: signalled && { rip: signalled.rip, parent: toOf(signalled.parent) } };
}
