/**
 * A region: the blocks that are compiled together into one function. It is what is warm of a guest
 * function, or a part of it, and can be entered at several of its nodes: where it starts and at loop
 * headers. Control that leaves for a block outside goes through an exit; a guest's call is a call of
 * another region, which returns if the guest does, to the address that is expected.
 *
 * A call of a small function that calls nothing itself is followed: the callee's blocks then belong
 * to a context of their own, in which a `ret` goes back to the caller if the return address on the
 * stack is the expected one, and leaves the region if not.
 */
import type { GuestAddr } from '../base/types.js';
import type { Block, Value } from '../ir/ir.js';
import { OP_BY_NAME } from '../ir/ops.js';

const INSN = OP_BY_NAME.get('insn')?.id;
const HOOK = OP_BY_NAME.get('sys.hook')?.id;

/** Where an edge leads: to a node of the region, to a node by way of the region's beginning, or out of it to an address. */
export type Edge = { readonly node: number } | { readonly hop: number } | { readonly exit: GuestAddr };

export type RegionEnd =
  | { readonly kind: 'jump'; readonly edge: Edge }
  | { readonly kind: 'branch'; readonly condition: Value; readonly taken: Edge; readonly fall: Edge }
  /** Calls the region at `target`; goes to `edge` when it has come back to `returnTo`. */
  | { readonly kind: 'call'; readonly target: GuestAddr | { readonly value: Value }; readonly returnTo: GuestAddr; readonly edge: Edge }
  /** Goes back to the region that has called this one if the target is where that goes on, else leaves. */
  | { readonly kind: 'return'; readonly target: Value }
  /** Goes to `edge` if the target is `expected`, else leaves. */
  | { readonly kind: 'expect'; readonly target: Value; readonly expected: GuestAddr; readonly edge: Edge }
  | { readonly kind: 'indirect'; readonly target: Value }
  | { readonly kind: 'syscall'; readonly next: GuestAddr }
  /** The last instruction cannot be done in compiled code. */
  | { readonly kind: 'interpret'; readonly at: GuestAddr };

export interface RegionNode {
  readonly block: Block;
  end: RegionEnd;
}

export interface Region {
  readonly nodes: readonly RegionNode[];
  /** Nodes at which it can be entered from outside, each at most once; at least one. */
  readonly entries: readonly number[];
  readonly instructions: number;
}

export interface RegionLimits {
  readonly instructions: number;
  readonly nodes: number;
  /** Of callees that are followed. */
  readonly calleeInstructions: number;
  readonly calleeNodes: number;
}

export const DEFAULT_REGION_LIMITS: RegionLimits = { instructions: 200, nodes: 60, calleeInstructions: 40, calleeNodes: 8 };

export interface RegionSource {
  /** The block at an address if it is worth having in a region, else null. */
  block(address: GuestAddr): Block | null;
  /** Whether control is known to come to a block from elsewhere, too. */
  isWanted(address: GuestAddr): boolean;
}

interface Context {
  readonly parent: Context | null;
  readonly returnTo: GuestAddr;
  readonly nodes: Map<number, number>;
}

/** Collects the region that starts at `start`, breadth first, up to the limits. */
export function collectRegion(start: GuestAddr, source: RegionSource, limits: RegionLimits): Region | null {
  return new Collector(source, limits).collect(start);
}

export function entryAddresses({ nodes, entries }: Region): GuestAddr[] {
  return entries.map((n) => (nodes[n] as RegionNode).block.start);
}

class Collector {
  private readonly nodes: RegionNode[] = [];
  private readonly contexts: Context[] = [];
  private readonly entries = new Set<number>();
  private instructions = 0;

  constructor(
    private readonly source: RegionSource,
    private readonly limits: RegionLimits,
  ) {}

  collect(start: GuestAddr): Region | null {
    const top: Context = { parent: null, returnTo: start, nodes: new Map() };
    if (this.add(start, top) === null) return null;
    this.entries.add(0);
    for (let i = 0; i < this.nodes.length; i++) {
      const node = this.nodes[i] as RegionNode;
      node.end = this.resolve(node.block, this.contexts[i] as Context, i);
    }
    return { nodes: this.nodes, entries: [...this.entries], instructions: this.instructions };
  }

  private add(address: GuestAddr, context: Context): number | null {
    const known = context.nodes.get(address);
    if (known !== undefined) return known;
    if (this.nodes.length >= this.limits.nodes || this.instructions >= this.limits.instructions) return null;
    const block = this.source.block(address);
    return block === null ? null : this.addBlock(block, context);
  }

  private addBlock(block: Block, context: Context): number {
    const index = this.nodes.push({ block, end: { kind: 'interpret', at: block.start } }) - 1;
    this.contexts.push(context);
    context.nodes.set(block.start, index);
    this.instructions += block.instructions;
    if (context.parent === null && this.source.isWanted(block.start)) this.entries.add(index);
    return index;
  }

  private edge(address: GuestAddr, context: Context, from: number): Edge {
    const node = this.add(address, context);
    if (node === null) return { exit: address };
    // A jump backwards: a loop, which the interpreter may be in the middle of.
    if (node <= from && context.parent === null) this.entries.add(node);
    return { node };
  }

  private resolve(block: Block, context: Context, n: number): RegionEnd {
    const { end } = block;
    switch (end.kind) {
      case 'jump':
        return { kind: 'jump', edge: this.edge(end.target, context, n) };
      case 'branch':
        return { kind: 'branch', condition: end.condition, taken: this.edge(end.taken, context, n), fall: this.edge(end.fall, context, n) };
      case 'call':
        return this.call(end.target, end.returnTo, context, n);
      case 'indirect':
        if (end.via === 'call') return this.callWithReturn({ value: end.target }, end.returnTo, context, n) ?? { kind: 'indirect', target: end.target };
        if (end.via === 'jump') return { kind: 'indirect', target: end.target };
        if (context.parent === null) return { kind: 'return', target: end.target };
        return { kind: 'expect', target: end.target, expected: context.returnTo, edge: this.edge(context.returnTo, context.parent, n) };
      case 'syscall':
        this.afterSyscall(end.next, context);
        return { kind: 'syscall', next: end.next };
      case 'trap':
      case 'unknown':
        return { kind: 'interpret', at: lastInstruction(block) };
    }
  }

  private call(target: GuestAddr, returnTo: GuestAddr, context: Context, n: number): RegionEnd {
    const callee = context.parent === null ? this.leaf(target) : null;
    if (callee === null) return this.callWithReturn(target, returnTo, context, n) ?? { kind: 'jump', edge: { exit: target } };
    const inner: Context = { parent: context, returnTo, nodes: new Map() };
    for (const block of callee) this.addBlock(block, inner);
    return { kind: 'jump', edge: { node: inner.nodes.get(target) as number } };
  }

  /** Null if what comes after the call is not in the region. */
  private callWithReturn(target: GuestAddr | { value: Value }, returnTo: GuestAddr, context: Context, n: number): RegionEnd | null {
    const edge = this.edge(returnTo, context, n);
    return 'node' in edge ? { kind: 'call', target, returnTo, edge } : null;
  }

  private afterSyscall(address: GuestAddr, context: Context): void {
    if (context.parent !== null) return;
    const node = this.add(address, context);
    if (node !== null) this.entries.add(node);
  }

  /** The warm blocks of a small function that calls nothing, null if it is no such function. */
  private leaf(target: GuestAddr): readonly Block[] | null {
    const found = new Map<number, Block>();
    const queue: GuestAddr[] = [target];
    let instructions = 0;
    for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
      if (found.has(at)) continue;
      const block = this.source.block(at);
      if (block === null) {
        if (at === target) return null;
        continue;
      }
      // A function that somebody stands in for may change mappings, and checks before it say nothing about what comes after.
      if (block.nodes.some(({ op }) => op === HOOK)) return null;
      found.set(at, block);
      instructions += block.instructions;
      if (instructions > this.limits.calleeInstructions || found.size > this.limits.calleeNodes) return null;
      if (this.instructions + instructions > this.limits.instructions || this.nodes.length + found.size > this.limits.nodes) return null;
      const { end } = block;
      if (end.kind === 'jump') queue.push(end.target);
      else if (end.kind === 'branch') queue.push(end.taken, end.fall);
      else if (end.kind !== 'indirect' || end.via !== 'return') return null;
    }
    return [...found.values()];
  }
}

export function lastInstruction(block: Block): GuestAddr {
  for (let i = block.nodes.length - 1; i >= 0; i--) {
    const node = block.nodes[i];
    if (node !== undefined && node.op === INSN) return node.imm as GuestAddr;
  }
  return block.start;
}
