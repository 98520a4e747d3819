/**
 * Which branch let an instruction happen: the online method of Xin and Zhang ("Efficient online detection of dynamic
 * control dependence", ISSTA 2007). A branch opens a region, which lasts to its immediate post-dominator in the same
 * call of the function. What is executed depends on the region that was opened last and is still open; where there is
 * none, on the call of the function.
 *
 * Calls are known by where their return addresses lie. So recursion is no special case, and frames that were left
 * by longjmp or an exception are found to be gone.
 */
import type { CodeNode, FunctionGraph } from '../../graphs/functionGraph.js';

/** An instruction that was executed: its time. No instruction: -1. */
export type Instance = number;
export const NO_INSTANCE: Instance = -1;

/**
 * Regions that are open, innermost last. Each has three numbers: the node that ends it (-1: it lasts until the function
 * is left), the node of the branch, and the branch itself. They are numbers in one array because a branch is executed
 * every few instructions.
 */
type Regions = number[];
const END = 0;
const FROM = 1;
const BRANCH = 2;
const REGION = 3;

export interface Frame {
  /** Where the return address lies; Infinity for the first function of a thread, NaN for a handler of a signal. */
  readonly slot: number;
  /** What called it, or jumped to it. */
  readonly caller: Instance;
  /** The number of the instruction in the user's own code that led here, if this is a library's; -1 if it is the user's. */
  readonly site: number;
  graph: FunctionGraph;
  readonly regions: Regions;
  /** Of the handler of a signal. */
  readonly handler?: Handler | undefined;
}

export interface Handler {
  /** Handlers are numbered as they begin. */
  readonly number: number;
  /** Where the x87 stack began before. */
  readonly top: number;
}

/** The calls of one thread that are under way, innermost last. */
export class CallStack {
  readonly frames: Frame[] = [];

  get top(): Frame {
    return this.frames[this.frames.length - 1] as Frame;
  }

  /** A function is called: frames whose return addresses are overwritten by that are gone. */
  call(frame: Frame): void {
    const { frames } = this;
    while (frames.length > 0 && this.top.slot <= frame.slot) frames.pop();
    frames.push(frame);
  }

  /** One that goes on in the place of another, or a handler of a signal. */
  push(frame: Frame): void {
    this.frames.push(frame);
  }

  /** A return by the address that lies at `slot`. If no function was called with it, nothing is left by it. */
  return(slot: number): void {
    const { frames } = this;
    let depth = frames.length - 1;
    while (depth >= 0 && (frames[depth] as Frame).slot !== slot) depth--;
    if (depth < 0) return;
    while (depth > 0 && (frames[depth - 1] as Frame).slot === slot) depth--;
    frames.length = depth;
  }

  /** The innermost frame whose function has the address, if there is one: those inside of it are gone. */
  unwindTo(address: number): boolean {
    const { frames } = this;
    for (let depth = frames.length - 1; depth >= 0; depth--) {
      const node = (frames[depth] as Frame).graph.nodeAt(address);
      if (node === undefined) continue;
      frames.length = depth + 1;
      dropRegions(this.top, node);
      return true;
    }
    return false;
  }

  /** The handler of a signal returns to what it has interrupted. Undefined if none is under way. */
  leaveHandler(): Handler | undefined {
    const { frames } = this;
    const depth = frames.findLastIndex(({ handler }) => handler !== undefined);
    const left = frames[depth]?.handler;
    if (depth >= 0) frames.length = depth;
    return left;
  }

  /** What later changes do not change. */
  copy(): CallStack {
    const copied = new CallStack();
    for (const frame of this.frames) copied.frames.push({ ...frame, regions: [...frame.regions] });
    return copied;
  }
}

/** Control comes to a node: which instruction it depends on. */
export function enter({ regions, caller }: Frame, node: number): Instance {
  let open = regions.length;
  while (open > 0 && regions[open - REGION + END] === node) open -= REGION;
  if (open < regions.length) regions.length = open;
  return open === 0 ? caller : (regions[open - REGION + BRANCH] as number);
}

/** What `enter` would tell. No node: control stays in the one where it is. */
export function wouldEnter({ regions, caller }: Frame, node: number | undefined): Instance {
  let open = regions.length;
  while (open > 0 && regions[open - REGION + END] === node) open -= REGION;
  return open === 0 ? caller : (regions[open - REGION + BRANCH] as number);
}

/** A branch is executed. A round of a loop takes the place of the one before. */
export function branch({ regions }: Frame, { index, postDominator }: CodeNode, instance: Instance): void {
  const last = regions.length - REGION;
  if (last >= 0 && regions[last + END] === postDominator) {
    regions[last + FROM] = index;
    regions[last + BRANCH] = instance;
  } else regions.push(postDominator, index, instance);
}

/** Control has come back to a node from elsewhere: regions in which it cannot lie are closed. */
function dropRegions({ graph, regions }: Frame, node: CodeNode): void {
  const kept: Regions = [];
  for (let at = 0; at < regions.length; at += REGION) {
    const [end, from] = [regions[at + END] as number, regions[at + FROM] as number];
    if (liesBetween(graph, from, end, node.index)) kept.push(...regions.slice(at, at + REGION));
  }
  regions.splice(0, regions.length, ...kept);
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
