/**
 * Listens to an observed stretch and follows control through it: which call each block belongs to, and which instance
 * each part of it depends on. It fills the stretch, for slices to walk through.
 */
import type { FunctionGraph } from '../../graphs/functionGraph.js';
import type { ExecutionListener, Happening, KernelChange, ObservedRun } from '../../replay/timeline/observing.js';
import { ENDS } from '../trace/codeTable.js';
import { SharedRanges } from '../trace/sharedRanges.js';
import type { BlockRef, Layout, Stretch, SystemCall } from '../trace/stretch.js';
import { CallStack, type Handler, type Instance, NO_INSTANCE, type StackCopy } from './callStack.js';
import type { FollowedBlock, Generations, Program, Programs } from './programs.js';

/** Of the instruction. */
const SYSCALL_BYTES = 2;
/** As long as it is not known what the handler of a signal is. */
const NO_GRAPH: FunctionGraph = { entry: -1, name: undefined, nodes: [], returns: false, nodeAt: () => undefined };

/** What is known of a thread. Places are instances where a stretch begins, and blocks inside of it. */
interface ThreadParts<Place> {
  /** The system call that made the thread. */
  readonly maker: Place;
  program: Program;
  /** The memory that it sees. */
  space: number;
  /** How the last block ended: as `ends` of a block. */
  left: number;
  last: Place;
  /** The address of its last instruction. */
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

interface ThreadControl extends ThreadParts<BlockRef> {
  readonly stack: CallStack;
}

interface ThreadState extends ThreadParts<Instance> {
  readonly stack: StackCopy;
}

/** What a thread that has not run yet has from the one that made it. */
interface Maker {
  /** The system call. */
  readonly instance: Instance;
  readonly top: number;
}

/** All threads, at one time. */
export interface ControlState {
  readonly threads: ReadonlyMap<number, ThreadState>;
  readonly generations: Generations;
  readonly makers: ReadonlyMap<number, Maker>;
  /** The system call that each thread made last. */
  readonly systemCalls: ReadonlyMap<number, SystemCall>;
  /** How many handlers of signals there were. */
  readonly handlers: number;
  readonly shared: SharedRanges;
}

export const NOTHING_FOLLOWED: ControlState = { threads: new Map(), generations: new Map(), makers: new Map(), systemCalls: new Map(), handlers: 0, shared: new SharedRanges() };

export interface FunctionWatch {
  entered(entry: number): void;
  learnt(entry: number): void;
}

/** Of what blocks know of the functions that they begin: others that make graphs anew have other numbers. */
let versions = 0;

export class ControlObserver implements ExecutionListener {
  private readonly threads = new Map<number, ThreadControl>();
  private readonly generations: Map<number, number>;
  private readonly makers: Map<number, Maker>;
  private readonly systemCalls: Map<number, SystemCall>;
  private handlers: number;
  private readonly shared: SharedRanges;
  private version = ++versions;
  /** Told before every run, when all that happened before it has been told: where a stretch may end. */
  onRun: ((time: number) => void) | undefined;

  constructor(
    private readonly programs: Programs,
    state: ControlState,
    private stretch: Stretch,
    /** Told of the functions of each stretch, and of those of which something new is known, by their entries. */
    private readonly functions?: FunctionWatch,
  ) {
    this.generations = new Map(state.generations);
    this.makers = new Map(state.makers);
    this.systemCalls = new Map(state.systemCalls);
    this.handlers = state.handlers;
    this.shared = new SharedRanges(state.shared);
    const refOf = (instance: Instance): BlockRef => stretch.refOf(instance);
    for (const [thread, one] of state.threads) this.threads.set(thread, { ...placed(one, refOf), stack: CallStack.from(one.stack, refOf) });
    this.tellFunctions();
  }

  /** All that is known now, for another that goes on from here. The stretch must have its end. */
  get state(): ControlState {
    const { stretch } = this;
    const instanceOf = (ref: BlockRef): Instance => stretch.instanceOf(ref);
    const threads = [...this.threads].map(([thread, one]) => [thread, { ...placed(one, instanceOf), stack: one.stack.copy(instanceOf) }] as const);
    const { generations, makers, systemCalls, handlers, shared } = this;
    return { threads: new Map(threads), generations: new Map(generations), makers: new Map(makers), systemCalls: new Map(systemCalls), handlers, shared: new SharedRanges(shared) };
  }

  /** The stretch has ended, and was put away as `before`: another begins. */
  goOn(before: Stretch, next: Stretch): void {
    const refOf = (ref: BlockRef): BlockRef => next.refOf(before.instanceOf(ref));
    for (const [thread, one] of this.threads) {
      one.stack.rebase(refOf);
      this.threads.set(thread, { ...placed(one, refOf), stack: one.stack });
    }
    this.stretch = next;
    this.version = ++versions;
    this.tellFunctions();
  }

  /** Those that are under way belong to the stretch that begins. */
  private tellFunctions(): void {
    const { functions } = this;
    if (functions !== undefined) for (const { stack } of this.threads.values()) stack.eachGraph(({ entry }) => functions.entered(entry));
  }

  ran(run: ObservedRun): void {
    const { blocks, addresses, thread, space } = run;
    this.onRun?.(run.time);
    const control = this.threads.get(thread) ?? this.begin(run);
    control.space = space;
    this.stretch.begin(thread, space, this.shared.of(space), blocks.length, addresses);
    this.follow(run, control, this.stretch);
  }

  happened(happening: Happening): void {
    const { kind, task, process, access } = happening;
    const { stretch } = this;
    const control = this.threads.get(task);
    const isInterrupted = kind === 'memory' && access?.by === 'program';
    if (kind === 'syscall') this.noteCall(task, happening.position.time);
    if (kind === 'syscall' || isInterrupted) stretch.events.push({ after: stretch.count, happening, space: control?.space ?? -1 });
    if (control !== undefined && kind === 'process' && process?.how === 'executes') this.forget(control.program, task);
  }

  changed(change: KernelChange, time: number): void {
    const { stretch } = this;
    this.shared.changed(change);
    const handler = this.handlerOf(change);
    const space = 'task' in change ? this.threads.get(change.task)?.space : undefined;
    const frame = handler?.context === undefined || space === undefined ? undefined : { space, context: handler.context };
    const task = change.kind === 'thread' ? change.by : 'task' in change ? change.task : 0;
    const made = this.systemCallOf(task);
    const instance = made?.instance ?? NO_INSTANCE;
    if (change.kind === 'thread') this.makers.set(change.task, { instance, top: this.threads.get(task)?.top ?? 0 });
    stretch.events.push({ after: stretch.count, change, time, instance, made, handler: handler?.number ?? -1, frame });
  }

  /** What the instruction at an address would depend on, if the thread executed it next. */
  wouldDependOn(thread: number, address: number): Instance {
    const { stretch } = this;
    const control = this.threads.get(thread);
    if (control === undefined) return this.makers.get(thread)?.instance ?? NO_INSTANCE;
    const { stack, left, last, maker } = control;
    if (left === ENDS.call) return stretch.instanceOf(last);
    return stretch.instanceOf(stack.depth === 0 ? maker : stack.wouldEnter(stack.graph.nodeAt(address)?.index));
  }

  private noteCall(task: number, instance: Instance): void {
    const { stretch } = this;
    const last = this.threads.get(task)?.last ?? NO_INSTANCE;
    const layout = last < 0 ? undefined : stretch.layoutList[stretch.layouts[last] as number];
    const instruction = layout?.code.instructions.at(-1);
    if (instruction === undefined) this.systemCalls.delete(task);
    else this.systemCalls.set(task, { instance, instruction, site: stretch.sites[last] as number });
  }

  /** The system call that the thread is in. */
  private systemCallOf(task: number): SystemCall | undefined {
    const call = this.systemCalls.get(task);
    const control = this.threads.get(task);
    return control === undefined || this.stretch.instanceOf(control.last) === call?.instance ? call : undefined;
  }

  /** Of the beginning or end of a handler: which one it is. */
  private handlerOf(change: KernelChange): Handler | undefined {
    if (change.kind !== 'handler' && change.kind !== 'handled') return undefined;
    const control = this.threads.get(change.task);
    if (control === undefined) return undefined;
    if (change.kind === 'handler') {
      const handler = { number: this.handlers++, top: control.top, context: change.context };
      const { rip, handlers } = control.signalled ?? { rip: change.rip ?? control.from + SYSCALL_BYTES, handlers: [] };
      control.signalled = { rip, handlers: [...handlers, handler] };
      control.top = 0;
      return handler;
    }
    const left = control.stack.leaveHandler();
    control.left = ENDS.other;
    if (left !== undefined) control.top = left.top;
    // It may return to another place, with other registers.
    return left === undefined || left.context === change.context ? left : { ...left, context: undefined };
  }

  /** The program of a process is replaced by another, which the thread's system call lets happen. */
  private forget(program: Program, task: number): void {
    this.makers.set(task, { instance: this.systemCallOf(task)?.instance ?? NO_INSTANCE, top: 0 });
    for (const [thread, other] of this.threads) if (other.program === program) this.threads.delete(thread);
    this.generations.set(program.pid, (this.generations.get(program.pid) ?? 0) + 1);
  }

  private begin({ thread, state, time }: ObservedRun): ThreadControl {
    const program = this.programs.of(thread, state, this.generations);
    const maker = this.makers.get(thread);
    this.makers.delete(thread);
    const made: ThreadControl = {
      stack: new CallStack(), program, left: ENDS.other, space: 0, last: this.stretch.refOf(time - 1), from: 0, slot: Infinity, site: NO_INSTANCE,
      signalled: undefined, top: maker?.top ?? 0, maker: this.stretch.refOf(maker?.instance ?? NO_INSTANCE),
    };
    this.threads.set(thread, made);
    return made;
  }

  /**
   * The inner loop: everything in it is done for each block that is executed. So what is known of the thread and the
   * stretch is brought up to date only where others look at it.
   */
  private follow(run: ObservedRun, control: ThreadControl, stretch: Stretch): void {
    const { blocks, addresses, known } = run;
    const { program, stack } = control;
    const { code: codes } = program;
    const { layouts, times, sites } = stretch;
    let { parents } = stretch;
    let [entry, offset, part, at] = [0, run.time - stretch.time, stretch.partCount, stretch.count];
    let mustArrive = control.left === ENDS.call || control.signalled !== undefined || isUnknown(stack);
    let { graph, site } = stack;
    let before: FollowedBlock | undefined;
    for (let i = 0; i < blocks.length; i++) {
      const number = blocks[i] as number;
      const code = codes[number] ?? program.meet(known.get(number), run);
      let layout = code.graph === graph && !mustArrive ? code.layout : undefined;
      if (layout === undefined) {
        if (before !== undefined) stand(control, stretch, before, at);
        if (mustArrive) this.arrive(control, code, run);
        mustArrive = false;
        layout = (code.graph === stack.graph ? code.layout : undefined) ?? this.layoutOf(control, code, run);
        ({ graph, site } = stack);
      }
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
      at++;
      offset += code.length;
      const { ends } = code;
      if (ends === ENDS.call) {
        control.slot = addresses[entry + code.lastEntry] as number;
        control.site = site >= 0 ? site : program.isOwn(code) ? code.last.id : site;
        mustArrive = true;
      } else if (ends === ENDS.return) {
        stack.return(addresses[entry + code.lastEntry] as number);
        mustArrive = isUnknown(stack);
        ({ graph, site } = stack);
      }
      entry += code.entries;
      before = code;
    }
    if (before !== undefined) stand(control, stretch, before, at);
    stretch.partCount = part;
  }

  /** After a call or a signal, or where nothing is known yet: finds the call that a block belongs to. */
  private arrive(control: ThreadControl, code: FollowedBlock, run: ObservedRun): void {
    const { stack, signalled, program, maker } = control;
    const { start } = code;
    control.signalled = undefined;
    if (control.left === ENDS.call) {
      // A signal may come right after a call: then the function that was called is the one that is interrupted.
      if (signalled !== undefined) this.enterCalled(control, signalled.rip, run);
      else this.enterBlock(control, code, run);
    }
    if (signalled !== undefined) interrupt(control, signalled);
    if (stack.depth === 0) stack.push(this.functionOf(program, code, run), { slot: Infinity, caller: maker, site: NO_INSTANCE });
    if (stack.graph === NO_GRAPH) stack.replaceGraph(this.graphOf(program, start, run));
  }

  /** Where a block's parts are in its function. If it is in another, control goes there. */
  private layoutOf(control: ThreadControl, code: FollowedBlock, run: ObservedRun): Layout {
    const { stack, program: { layouts } } = control;
    let layout = layouts.of(stack.graph, code);
    if (layout === undefined) {
      this.transfer(control, code, run);
      layout = layouts.of(stack.graph, code);
    } else if (layout.beyond !== undefined && this.learn(control, layout.beyond)) layout = layouts.of(stack.graph, code) ?? layout;
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

  private graphOf(program: Program, start: number, run: ObservedRun): FunctionGraph {
    this.functions?.entered(start);
    return program.graphOf(start, run);
  }

  /** That begins with a block. */
  private functionOf(program: Program, code: FollowedBlock, run: ObservedRun): FunctionGraph {
    if (code.version !== this.version || code.entered === undefined) {
      code.version = this.version;
      code.entered = this.graphOf(program, code.start, run);
      code.isFunction = program.isFunction(code.start);
    }
    return code.entered;
  }

  private enterCalled({ stack, program, slot, last, site }: ThreadControl, start: number, run: ObservedRun): void {
    stack.call(this.graphOf(program, start, run), slot, last, program.isOwnAt(start) ? NO_INSTANCE : site);
  }

  /**
   * Control came to a place in the function that its graph does not know: then it is made anew, and true is returned.
   */
  private learn({ stack, program }: ThreadControl, { from, address }: NonNullable<Layout['beyond']>): boolean {
    const { entry } = stack.graph;
    const better = program.isPartOf(entry, address) ? program.learn(entry, from, address) : undefined;
    if (better === undefined) return false;
    this.version = ++versions;
    this.functions?.learnt(entry);
    stack.replaceGraph(better);
    return true;
  }

  /** A jump has left the function: into one in whose place it goes on, or back into one that has called it. */
  private transfer(control: ThreadControl, code: FollowedBlock, run: ObservedRun): void {
    const { stack, program, last } = control;
    const { start } = code;
    if (!(code.version === this.version ? code.isFunction : program.isFunction(start))) {
      if (this.learn(control, { from: control.from, address: start }) || stack.unwindTo(start)) return;
    }
    const { slot, site } = stack;
    stack.push(this.functionOf(program, code, run), { slot, caller: last, site: program.isOwn(code) ? NO_INSTANCE : site });
  }
}

/** A thread has executed a block, which is the last of so many in the stretch. */
function stand(control: ThreadControl, stretch: Stretch, { ends, lastAddress }: FollowedBlock, blocks: number): void {
  control.left = ends;
  control.last = blocks - 1;
  control.from = lastAddress;
  stretch.count = blocks;
}

/** Whether it is not known what function control is in. */
function isUnknown(stack: CallStack): boolean {
  return stack.depth === 0 || stack.graph === NO_GRAPH;
}

/** Handlers begin, the last one first. They depend on what the next instruction would have depended on. */
function interrupt({ stack, maker }: ThreadControl, { rip, handlers }: NonNullable<ThreadControl['signalled']>): void {
  const caller = stack.depth === 0 ? maker : stack.wouldEnter(stack.graph.nodeAt(rip)?.index);
  for (const handler of handlers) stack.push(NO_GRAPH, { slot: NaN, caller, site: NO_INSTANCE, handler });
}

function placed<From, To>(one: ThreadParts<From>, toOf: (from: From) => To): ThreadParts<To> {
  return { ...one, last: toOf(one.last), maker: toOf(one.maker) };
}
