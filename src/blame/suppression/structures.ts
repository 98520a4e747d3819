/**
 * What a jump decides: all that control may come to before the ways from it come together. Ways that end in a function
 * that never returns (abort) are no ways: no program needs to go there.
 */
import { guestAddr } from '../../base/types.js';
import type { CodeSource } from '../../graphs/codeSource.js';
import type { CodeNode, FunctionGraph } from '../../graphs/functionGraph.js';
import type { FunctionGraphs } from '../../graphs/functionGraphs.js';
import { EXIT, postDominators } from '../../graphs/postDominators.js';
import type { Block } from '../../ir/ir.js';
import { FLAG_SLOTS, nodeEffects } from '../../ir/meaning/nodeEffects.js';
import type { SlotRange } from '../../ir/meaning/stateBytes.js';
import { RAX, RDX, RSP, XMM } from '../../layout/cpuState.js';
import { FLOW, FlowReader } from '../../x86/flowReader.js';
import { Translator } from '../../x86/translate.js';

/** Nodes of a structure in an order in which most come after those that lead to them. */
export interface StructureNode {
  readonly instructions: readonly Block[];
  /** Indices among the structure's nodes. */
  readonly successors: readonly number[];
}

export interface Structure {
  /** Where control goes on; EXIT: it returns. */
  readonly join: number;
  readonly nodes: readonly StructureNode[];
  /** Among the nodes: where control may go to from the jump. */
  readonly first: readonly number[];
  /** What may be written of registers; flags are dead where ways come together. */
  readonly slots: readonly SlotRange[];
  /** How often it was gone around. */
  visits: number;
  /** Whether it is the user's own code. */
  readonly isOwn: boolean;
}

interface Ways {
  readonly successors: readonly (readonly number[])[];
  readonly joins: Int32Array;
}

const NOT_SLOTS: ReadonlySet<number> = new Set([RSP, ...FLAG_SLOTS].map(({ offset }) => offset));
/** What a called function may leave for its caller. */
const RESULTS: readonly SlotRange[] = [{ offset: RAX.offset, bytes: 8 }, { offset: RDX.offset, bytes: 8 }, ...XMM.slice(0, 2).map(({ offset }) => ({ offset, bytes: 16 }))];
/** Bytes of code of a called function that is looked into. */
const LARGEST_CALLED = 4096;
const ENDLESS: ReadonlySet<number> = new Set([FLOW.call, FLOW.indirectCall, FLOW.stop]);

export class Structures {
  private readonly known = new Map<number, Structure | undefined>();
  private readonly functions = new Map<number, readonly StructureNode[]>();
  private readonly ways = new Map<FunctionGraph, Ways>();
  private readonly reader: FlowReader;
  private readonly translator: Translator;

  constructor(
    private readonly code: CodeSource,
    private readonly graphs: FunctionGraphs,
    /** Whether code is the user's. Of libraries, calls that are left out leave everything as it was. */
    private readonly isOwn: (address: number) => boolean,
  ) {
    this.reader = new FlowReader((address, length) => code.fetch(address, length));
    this.translator = new Translator((address, length) => code.fetch(address, length));
  }

  /** Of the jump there; undefined if its function is not known. */
  at(jump: number): Structure | undefined {
    if (!this.known.has(jump)) this.known.set(jump, this.make(jump));
    return this.known.get(jump);
  }

  /** All of the function that a call leads to, its entry first, also through a stub of the linker. */
  called(target: number, word: (address: number) => bigint | undefined): readonly StructureNode[] {
    if (this.reader.read(target) === FLOW.next) this.reader.read(this.reader.next);
    const pointer = this.reader.kind === FLOW.indirectJump ? this.reader.pointerAt : undefined;
    const entry = pointer === undefined ? target : Number(word(pointer) ?? target);
    let nodes = this.functions.get(entry);
    if (nodes === undefined) this.functions.set(entry, (nodes = this.whole(entry)));
    return nodes;
  }

  private whole(entry: number): readonly StructureNode[] {
    if (this.code.functionAt(entry) === undefined || !this.isOwn(entry)) return [];
    const graph = this.graphs.graphOf(entry);
    const size = graph.nodes.reduce((sum, { start, end }) => sum + end - start, 0);
    return size > LARGEST_CALLED ? [] : graph.nodes.map((node) => ({ instructions: this.instructionsOf(node), successors: node.successors }));
  }

  private make(jump: number): Structure | undefined {
    const entry = this.code.functionAround(jump)?.entry;
    const graph = entry === undefined ? undefined : this.graphs.graphOf(entry);
    const node = graph?.nodeAt(jump);
    if (graph === undefined || node === undefined) return undefined;
    const { successors, joins } = this.waysOf(graph);
    const join = node.last === jump ? (joins[node.index] as number) : EXIT;
    const inside = reachable(successors, node.index, join);
    const place = new Map(inside.map((index, i) => [index, i]));
    const within = (indices: readonly number[]): number[] => indices.map((index) => place.get(index)).filter((index) => index !== undefined);
    const nodes = inside.map((index) => ({ instructions: this.instructionsOf(graph.nodes[index] as CodeNode), successors: within(successors[index] ?? []) }));
    return { join: join === EXIT ? EXIT : (graph.nodes[join] as CodeNode).start, nodes, first: within(successors[node.index] ?? []), slots: slotsOf(nodes), visits: 0, isOwn: this.isOwn(jump) };
  }

  private waysOf(graph: FunctionGraph): Ways {
    let ways = this.ways.get(graph);
    if (ways === undefined) this.ways.set(graph, (ways = this.findWays(graph)));
    return ways;
  }

  private findWays({ nodes }: FunctionGraph): Ways {
    const canLeave = nodes.map((node) => node.leaves && !this.isEndless(node));
    for (let isNew = true; isNew; ) {
      isNew = false;
      for (const { index, successors } of nodes) {
        if (canLeave[index] === true || !successors.some((to) => canLeave[to] === true)) continue;
        canLeave[index] = isNew = true;
      }
    }
    // Where nothing leads to an end any more, all ways count.
    const successors = nodes.map((node) => (canLeave[node.index] === true ? node.successors.filter((to) => canLeave[to] === true) : node.successors));
    return { successors, joins: postDominators(successors, nodes.map(({ leaves }) => leaves)) };
  }

  /** It ends in a call that never returns, or in a trap. */
  private isEndless({ leaves, successors, last }: CodeNode): boolean {
    return leaves && successors.length === 0 && ENDLESS.has(this.reader.read(last));
  }

  /** Of the instruction there. */
  lengthAt(address: number): number | undefined {
    const block = this.translator.translate(guestAddr(address), 1);
    return block === null ? undefined : block.next - address;
  }

  /** Whether control never comes back from the call whose last byte is before `returnTo`. */
  neverReturns(returnTo: number): boolean {
    const entry = this.code.functionAround(returnTo - 1)?.entry;
    const node = entry === undefined ? undefined : this.graphs.graphOf(entry).nodes.find(({ start, end }) => start < returnTo && returnTo <= end);
    return node !== undefined && node.end === returnTo && this.isEndless(node);
  }

  private instructionsOf({ start, end }: CodeNode): Block[] {
    const blocks: Block[] = [];
    for (let at = start; at < end; ) {
      const block = this.translator.translate(guestAddr(at), 1);
      if (block === null || block.next <= at) break;
      blocks.push(block);
      at = block.next;
    }
    return blocks;
  }
}

/** In the order of a walk that goes deep first. */
function reachable(successors: readonly (readonly number[])[], from: number, join: number): number[] {
  const found = new Set<number>();
  const open = [...(successors[from] ?? [])];
  while (open.length > 0) {
    const node = open.pop() as number;
    if (node === join || found.has(node)) continue;
    found.add(node);
    open.push(...(successors[node] ?? []));
  }
  return [...found];
}

function slotsOf(nodes: readonly StructureNode[]): SlotRange[] {
  const widest = new Map<number, number>();
  const add = ({ offset, bytes }: SlotRange): void => {
    if (!NOT_SLOTS.has(offset)) widest.set(offset, Math.max(bytes, widest.get(offset) ?? 0));
  };
  for (const { instructions } of nodes) {
    for (const { nodes: operations, end } of instructions) {
      for (const operation of operations) nodeEffects(operation).writes.forEach(add);
      if (end.kind === 'call' || (end.kind === 'indirect' && end.via === 'call')) RESULTS.forEach(add);
    }
  }
  return [...widest].map(([offset, bytes]) => ({ offset, bytes }));
}
