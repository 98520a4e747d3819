/**
 * Control dependence by its definition: an instance depends on the latest branch of the same call whose post-dominator
 * has not been executed since; if there is none, on what called the function or jumped to it. Of every call all that
 * it has executed is kept, and looked through from the end.
 */
import { EXIT } from '../../src/graphs/postDominators.js';
import type { CodeNode, FunctionGraph } from '../../src/graphs/functionGraph.js';
import { FunctionGraphs } from '../../src/graphs/functionGraphs.js';
import { LoadedCode } from '../../src/graphs/loadedCode.js';
import type { End } from '../../src/ir/ir.js';
import { guestAddr } from '../../src/base/types.js';
import type { Modules } from '../../src/debugger/program/modules.js';
import type { State } from '../../src/replay/timeline/state.js';

/** An instruction is about to be executed. */
export interface Arrival {
  readonly time: number;
  readonly thread: number;
  readonly rip: number;
  readonly stackPointer: number;
  readonly end: End;
  readonly state: State;
}

/** A node that a call has come to. */
interface Visit {
  readonly node: CodeNode;
  readonly parent: number;
  /** When its branch was executed, if it has one. */
  branch: number | undefined;
}

interface Call {
  /** Where the return address lies. */
  readonly slot: number;
  readonly caller: number;
  readonly isHandler: boolean;
  graph: FunctionGraph;
  visits: Visit[];
}

interface ThreadCalls {
  calls: Call[];
  left: 'call' | 'return' | 'other';
  last: number;
  from: number;
  /** Of a return: where the address lay. */
  slot: number;
  /** What a first function depends on. */
  readonly maker: number;
  signalled: { readonly rip: number; readonly stackPointer: number } | undefined;
}

/** Graphs of all programs of an execution: they learn, and are kept for the next round. */
export class BruteGraphs {
  private readonly all = new Map<string, { readonly graphs: FunctionGraphs; readonly source: LoadedCode }>();
  private state: State | undefined;
  private thread = 0;

  constructor(private readonly modules: Modules) {}

  at(state: State, thread: number, generation: number): { readonly graphs: FunctionGraphs; readonly source: LoadedCode } {
    this.state = state;
    this.thread = thread;
    const pid = state.threads.find(({ id }) => id === thread)?.pid ?? 0;
    const key = `${pid}:${generation}`;
    let known = this.all.get(key);
    if (known === undefined) {
      const source = new LoadedCode(() => this.modules.of(this.now, this.thread), (address, length) => this.now.read(this.thread, guestAddr(address), length));
      this.all.set(key, (known = { source, graphs: new FunctionGraphs(source) }));
    }
    return known;
  }

  private get now(): State {
    return this.state as State;
  }
}

export class BruteControl {
  hasLearnt = false;
  private readonly threads = new Map<number, ThreadCalls>();
  private readonly makers = new Map<number, number>();
  private readonly generations = new Map<number, number>();

  constructor(private readonly graphs: BruteGraphs) {}

  /** What the instance depends on; -1 if on nothing. */
  step(arrival: Arrival): number {
    const { time, thread, rip, end, stackPointer } = arrival;
    let control = this.threads.get(thread);
    if (control === undefined) {
      control = { calls: [], left: 'other', last: -1, from: 0, slot: 0, maker: this.makers.get(thread) ?? -1, signalled: undefined };
      this.threads.set(thread, control);
    }
    const visit = this.arrive(control, arrival);
    control.last = time;
    control.from = rip;
    control.left = 'other';
    if (visit?.node.last === rip && visit.node.isBranch) visit.branch = time;
    if (end.kind === 'call' || (end.kind === 'indirect' && end.via === 'call')) control.left = 'call';
    if (end.kind === 'indirect' && end.via === 'return') {
      control.left = 'return';
      control.slot = stackPointer;
    }
    return visit?.parent ?? (control.calls.at(-1) as Call).caller;
  }

  begin(thread: number, maker: number): void {
    this.makers.set(thread, maker);
  }

  signalled(thread: number, rip: number, stackPointer: number): void {
    const control = this.threads.get(thread);
    if (control !== undefined) control.signalled = { rip, stackPointer };
  }

  leaveHandler(thread: number): void {
    const control = this.threads.get(thread);
    if (control === undefined) return;
    const depth = control.calls.findLastIndex(({ isHandler }) => isHandler);
    if (depth >= 0) control.calls.length = depth;
    control.left = 'other';
  }

  /** The thread's process executes another program. */
  forget(thread: number, others: readonly number[]): void {
    const last = this.threads.get(thread)?.last ?? -1;
    for (const one of [thread, ...others]) this.threads.delete(one);
    this.makers.set(thread, last);
    this.generations.set(thread, (this.generations.get(thread) ?? 0) + 1);
  }

  private arrive(control: ThreadCalls, arrival: Arrival): Visit | undefined {
    const { calls, signalled, left } = control;
    const { rip, stackPointer } = arrival;
    control.signalled = undefined;
    if (left === 'return') comeBack(calls, control.slot);
    if (left === 'call') this.call(control, signalled ?? { rip, stackPointer }, control.last, arrival, false);
    if (signalled !== undefined) this.call(control, { rip, stackPointer: NaN }, this.wouldDepend(control, signalled.rip), arrival, true);
    if (calls.length === 0) this.call(control, { rip, stackPointer: Infinity }, control.maker, arrival, false);
    let call = calls.at(-1) as Call;
    if (call.graph.nodeAt(rip) === undefined) this.transfer(control, arrival);
    call = calls.at(-1) as Call;
    const node = call.graph.nodeAt(rip);
    if (node === undefined) return undefined;
    const last = call.visits.at(-1);
    if (last !== undefined && last.node.index === node.index && rip !== node.start) return last;
    const made = { node, parent: parentOf(call, node), branch: undefined };
    call.visits.push(made);
    return made;
  }

  /** The instruction that was interrupted. */
  private wouldDepend({ calls, maker }: ThreadCalls, rip: number): number {
    const call = calls.at(-1);
    const node = call?.graph.nodeAt(rip);
    return call === undefined ? maker : node === undefined ? call.caller : node.index === call.visits.at(-1)?.node.index && rip !== node.start ? (call.visits.at(-1) as Visit).parent : parentOf(call, node);
  }

  private call({ calls }: ThreadCalls, { rip, stackPointer }: { readonly rip: number; readonly stackPointer: number }, caller: number, arrival: Arrival, isHandler: boolean): void {
    while (calls.length > 0 && (calls.at(-1) as Call).slot <= stackPointer) calls.pop();
    const { graphs } = this.codeAt(arrival);
    calls.push({ slot: stackPointer, caller, isHandler, graph: graphs.graphOf(rip), visits: [] });
  }

  private codeAt({ state, thread }: Arrival): ReturnType<BruteGraphs['at']> {
    return this.graphs.at(state, thread, this.generations.get(thread) ?? 0);
  }

  /** A jump has left the function. */
  private transfer({ calls, last, from }: ThreadCalls, arrival: Arrival): void {
    const { rip, stackPointer } = arrival;
    const { graphs, source } = this.codeAt(arrival);
    const top = calls.at(-1) as Call;
    if (source.functionAt(rip) === undefined) {
      const isInside = source.functionAround(top.graph.entry)?.ranges.some(({ start, end }) => rip >= start && rip < end) === true;
      if (isInside && graphs.learn(top.graph.entry, from, rip)) {
        this.hasLearnt = true;
        top.graph = graphs.graphOf(top.graph.entry);
        top.visits = [];
        return;
      }
      const depth = calls.findLastIndex(({ graph, slot }) => !(slot < stackPointer) && graph.nodeAt(rip) !== undefined);
      if (depth >= 0) {
        calls.length = depth + 1;
        const call = calls[depth] as Call;
        const node = call.graph.nodeAt(rip) as CodeNode;
        for (const visit of call.visits) if (!isDecidedBy(call.graph, visit.node, node)) visit.branch = undefined;
        return;
      }
    }
    calls.push({ slot: top.slot, caller: last, isHandler: false, graph: graphs.graphOf(rip), visits: [] });
  }
}

function comeBack(calls: Call[], slot: number): void {
  const depth = calls.findIndex((call) => call.slot === slot);
  if (depth >= 0) calls.length = depth;
}

function parentOf({ visits, graph, caller }: Call, node: CodeNode): number {
  const executed = new Set([node.index]);
  for (let i = visits.length - 1; i >= 0; i--) {
    const { node: earlier, branch } = visits[i] as Visit;
    const { postDominator } = graph.nodes[earlier.index] as CodeNode;
    if (branch !== undefined && (postDominator === EXIT || !executed.has(postDominator))) return branch;
    executed.add(earlier.index);
  }
  return caller;
}

/** Whether there is a way from a branch to a node that does not go through the branch's post-dominator. */
function isDecidedBy({ nodes }: FunctionGraph, branch: CodeNode, node: CodeNode): boolean {
  const [seen, open] = [new Set<number>(), [...branch.successors]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next) || next === branch.postDominator) continue;
    seen.add(next);
    open.push(...(nodes[next] as CodeNode).successors);
  }
  return seen.has(node.index);
}
