/**
 * Which branch let an instruction happen: the online method of Xin and Zhang ("Efficient online detection of dynamic
 * control dependence", ISSTA 2007). A branch opens a region, which lasts to its immediate post-dominator in the same
 * call of the function. What is executed depends on the region that was opened last and is still open; where there is
 * none, on the call of the function.
 *
 * Calls are known by where their return addresses lie. So recursion is no special case, and frames that were left
 * by longjmp or an exception are found to be gone.
 *
 * Frames and regions are numbers in arrays with counters: a branch is executed every few instructions, and a call
 * every few dozen.
 */
import type { CodeNode, FunctionGraph } from '../../graphs/functionGraph.js';
import { type BlockRef, enlarged } from '../trace/stretch.js';

/** An instruction that was executed: its time. No instruction: -1. */
export type Instance = number;
export const NO_INSTANCE: Instance = -1;

const FIRST_FRAMES = 64;
const FIRST_REGIONS = 256;

/** A call that is under way, as it is begun. */
interface NewFrame {
  /** Where the return address lies; Infinity for the first function of a thread, NaN for a handler of a signal. */
  readonly slot: number;
  /** What called it, or jumped to it. */
  readonly caller: BlockRef;
  /**
   * The number of the instruction in the user's own code that led here, if this is a library's; -1 if it is the user's.
   */
  readonly site: number;
  /** Of the handler of a signal. */
  readonly handler?: Handler | undefined;
}

export interface Handler {
  /** Handlers are numbered as they begin. */
  readonly number: number;
  /** Where the x87 stack began before. */
  readonly top: number;
  /** Where the registers lie that it gives back: a ucontext_t. */
  readonly context: number | undefined;
}

/** The calls of a thread at one time. Frames that were there at the time of an earlier copy are left to that. */
export interface StackCopy {
  readonly depth: number;
  readonly below: StackCopy | undefined;
  /** Frames that `below` has, and regions. */
  readonly shared: number;
  readonly sharedRegions: number;
  readonly graphs: readonly FunctionGraph[];
  readonly slots: Float64Array;
  readonly callers: Float64Array;
  readonly sites: Int32Array;
  readonly bases: Int32Array;
  readonly handlers: readonly (Handler | undefined)[];
  readonly ends: Int32Array;
  readonly froms: Int32Array;
  readonly branches: Float64Array;
}

/** The calls of one thread that are under way, innermost last. */
export class CallStack {
  depth = 0;
  /** Of each frame; its regions are those from its base on. */
  private graphs: FunctionGraph[] = [];
  private slots = new Float64Array(FIRST_FRAMES);
  private callers = new Int32Array(FIRST_FRAMES);
  private sites = new Int32Array(FIRST_FRAMES);
  private bases = new Int32Array(FIRST_FRAMES);
  private readonly handlers: (Handler | undefined)[] = [];
  /** Regions that are open: the node that ends each (-1: it lasts until the function is left), and its branch. */
  private regions = 0;
  private ends = new Int32Array(FIRST_REGIONS);
  private froms = new Int32Array(FIRST_REGIONS);
  private branches = new Int32Array(FIRST_REGIONS);
  /** The least depth since the last copy. */
  private least = 0;
  private lastCopy: StackCopy | undefined;

  get graph(): FunctionGraph {
    return this.graphs[this.depth - 1] as FunctionGraph;
  }

  get site(): number {
    return this.sites[this.depth - 1] as number;
  }

  get slot(): number {
    return this.slots[this.depth - 1] as number;
  }

  /** A function is called: frames whose return addresses are overwritten by that are gone. */
  call(graph: FunctionGraph, slot: number, caller: BlockRef, site: number): void {
    let { depth } = this;
    while (depth > 0 && (this.slots[depth - 1] as number) <= slot) depth--;
    if (depth < this.depth) this.cut(depth);
    this.add(graph, slot, caller, site, undefined);
  }

  /** One that goes on in the place of another, or a handler of a signal. */
  push(graph: FunctionGraph, { slot, caller, site, handler }: NewFrame): void {
    this.add(graph, slot, caller, site, handler);
  }

  /** A return by the address that lies at `slot`. If no function was called with it, nothing is left by it. */
  return(slot: number): void {
    const { slots } = this;
    let depth = this.depth - 1;
    while (depth >= 0 && slots[depth] !== slot) depth--;
    if (depth < 0) return;
    while (depth > 0 && slots[depth - 1] === slot) depth--;
    this.cut(depth);
  }

  /** The innermost frame whose function has the address, if there is one: those inside of it are gone. */
  unwindTo(address: number): boolean {
    for (let top = this.depth - 1; top >= 0; top--) {
      const node = (this.graphs[top] as FunctionGraph).nodeAt(address);
      if (node === undefined) continue;
      if (top + 1 < this.depth) this.cut(top + 1);
      this.dropRegions(node);
      return true;
    }
    return false;
  }

  /** The handler of a signal returns to what it has interrupted. Undefined if none is under way. */
  leaveHandler(): Handler | undefined {
    let top = this.depth - 1;
    while (top >= 0 && this.handlers[top] === undefined) top--;
    if (top < 0) return undefined;
    this.cut(top);
    return this.handlers[top];
  }

  /** What `enter` would tell. No node: control stays in the one where it is. */
  wouldEnter(node: number | undefined): BlockRef {
    const top = this.depth - 1;
    let { regions } = this;
    while (regions > (this.bases[top] as number) && this.ends[regions - 1] === node) regions--;
    return regions > (this.bases[top] as number) ? (this.branches[regions - 1] as number) : (this.callers[top] as number);
  }

  /** Control comes to a node: what it depends on. */
  enter(node: number): BlockRef {
    const { ends } = this;
    const top = this.depth - 1;
    const base = this.bases[top] as number;
    let { regions } = this;
    while (regions > base && ends[regions - 1] === node) regions--;
    this.regions = regions;
    return regions > base ? (this.branches[regions - 1] as number) : (this.callers[top] as number);
  }

  /**
   * A branch is executed. A round of a loop takes the place of the one before. Other branches whose regions end at the
   * same place stay: if control comes back from elsewhere to where this one does not lead, they count again.
   */
  branch(index: number, postDominator: number, branch: BlockRef): void {
    const top = this.regions - 1;
    const base = this.bases[this.depth - 1] as number;
    if (top >= base && this.ends[top] === postDominator) {
      if (this.froms[top] !== index) this.forgetRound(index, postDominator, top, base);
      else {
        this.branches[top] = branch;
        return;
      }
    }
    const { regions } = this;
    if (regions === this.ends.length) this.growRegions();
    this.ends[regions] = postDominator;
    this.froms[regions] = index;
    this.branches[regions] = branch;
    this.regions = regions + 1;
  }

  /** Takes the region of an earlier round away, from those at the top that end at the same place. */
  private forgetRound(index: number, postDominator: number, top: number, base: number): void {
    let at = top - 1;
    while (at >= base && this.ends[at] === postDominator && this.froms[at] !== index) at--;
    if (at < base || this.ends[at] !== postDominator) return;
    this.froms.copyWithin(at, at + 1, top + 1);
    this.branches.copyWithin(at, at + 1, top + 1);
    this.regions = top;
  }

  /** The function turns out to be another than was thought: what was known of its regions is good no more. */
  replaceGraph(graph: FunctionGraph): void {
    this.graphs[this.depth - 1] = graph;
    this.regions = this.bases[this.depth - 1] as number;
    this.least = Math.min(this.least, this.depth - 1);
  }

  /** What later changes do not change. `instanceOf` says what references stand for. */
  copy(instanceOf: (ref: BlockRef) => Instance): StackCopy {
    const { depth, regions } = this;
    // A frame that has not been the innermost one since the last copy is as it was.
    const shared = Math.max(0, this.least - 1);
    const sharedRegions = shared === 0 ? 0 : (this.bases[shared] as number);
    let below = this.lastCopy;
    while (below !== undefined && below.shared >= shared) below = below.below;
    this.lastCopy = {
      depth, below, shared, sharedRegions, graphs: this.graphs.slice(shared, depth), slots: this.slots.slice(shared, depth),
      callers: Float64Array.from(this.callers.subarray(shared, depth), instanceOf), sites: this.sites.slice(shared, depth),
      bases: this.bases.slice(shared, depth), handlers: this.handlers.slice(shared, depth),
      ends: this.ends.slice(sharedRegions, regions), froms: this.froms.slice(sharedRegions, regions),
      branches: Float64Array.from(this.branches.subarray(sharedRegions, regions), instanceOf),
    };
    this.least = depth;
    return this.lastCopy;
  }

  /** As it was. */
  static from(copy: StackCopy, refOf: (instance: Instance) => BlockRef): CallStack {
    const made = new CallStack();
    const layers: StackCopy[] = [];
    for (let one: StackCopy | undefined = copy; one !== undefined; one = one.below) layers.push(one);
    for (const one of layers.reverse()) made.put(one, refOf);
    made.least = made.depth;
    made.lastCopy = copy;
    return made;
  }

  /** The functions that are under way. */
  eachGraph(tell: (graph: FunctionGraph) => void): void {
    for (let i = 0; i < this.depth; i++) if (i === 0 || this.graphs[i] !== this.graphs[i - 1]) tell(this.graphs[i] as FunctionGraph);
  }

  /** A new stretch begins: references to blocks of the one before have to be others. */
  rebase(refOf: (ref: BlockRef) => BlockRef): void {
    for (let i = 0; i < this.depth; i++) this.callers[i] = refOf(this.callers[i] as number);
    for (let i = 0; i < this.regions; i++) this.branches[i] = refOf(this.branches[i] as number);
  }

  private put(copy: StackCopy, refOf: (instance: Instance) => BlockRef): void {
    this.depth = copy.shared;
    this.regions = copy.sharedRegions;
    copy.graphs.forEach((graph, i) => {
      this.regions = copy.bases[i] as number;
      this.add(graph, copy.slots[i] as number, refOf(copy.callers[i] as number), copy.sites[i] as number, copy.handlers[i]);
    });
    this.regions = copy.sharedRegions;
    copy.ends.forEach((end, i) => {
      if (this.regions === this.ends.length) this.growRegions();
      this.ends[this.regions] = end;
      this.froms[this.regions] = copy.froms[i] as number;
      this.branches[this.regions++] = refOf(copy.branches[i] as number);
    });
  }

  private add(graph: FunctionGraph, slot: number, caller: BlockRef, site: number, handler: Handler | undefined): void {
    const top = this.depth;
    if (top === this.slots.length) this.growFrames();
    this.graphs[top] = graph;
    this.slots[top] = slot;
    this.callers[top] = caller;
    this.sites[top] = site;
    this.bases[top] = this.regions;
    this.handlers[top] = handler;
    this.depth = top + 1;
  }

  private cut(depth: number): void {
    this.regions = this.bases[depth] as number;
    this.depth = depth;
    if (depth < this.least) this.least = depth;
  }

  private growFrames(): void {
    const capacity = this.slots.length * 2;
    this.slots = enlarged(this.slots, capacity);
    this.callers = enlarged(this.callers, capacity);
    this.sites = enlarged(this.sites, capacity);
    this.bases = enlarged(this.bases, capacity);
  }

  private growRegions(): void {
    const capacity = this.ends.length * 2;
    this.ends = enlarged(this.ends, capacity);
    this.froms = enlarged(this.froms, capacity);
    this.branches = enlarged(this.branches, capacity);
  }

  /** Control has come back to a node from elsewhere: regions in which it cannot lie are closed. */
  private dropRegions(node: CodeNode): void {
    const { ends, froms, branches, graph } = this;
    let kept = this.bases[this.depth - 1] as number;
    for (let i = kept; i < this.regions; i++) {
      if (!liesBetween(graph, froms[i] as number, ends[i] as number, node.index)) continue;
      ends[kept] = ends[i] as number;
      froms[kept] = froms[i] as number;
      branches[kept++] = branches[i] as number;
    }
    this.regions = kept;
  }
}

/** Whether control can come from a branch to a node without coming to the end of the branch's region. */
function liesBetween({ nodes }: FunctionGraph, from: number, end: number, node: number): boolean {
  const seen = new Set((nodes[from] as CodeNode).successors);
  seen.delete(end);
  for (const index of seen) {
    if (index === node) return true;
    for (const next of (nodes[index] as CodeNode).successors) if (next !== end) seen.add(next);
  }
  return false;
}

