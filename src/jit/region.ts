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
const HOOKS = ['sys.hook', 'sys.look', 'sys.frameHook'].map((name) => OP_BY_NAME.get(name)?.id);

/**
 * Where an edge leads: to a node of the region, to a node by way of the region's beginning, or out of it to an address.
 */
export type Edge = { readonly node: number } | { readonly hop: number } | { readonly exit: GuestAddr };

export type RegionEnd =
  | { readonly kind: 'jump'; readonly edge: Edge }
  | { readonly kind: 'branch'; readonly condition: Value; readonly taken: Edge; readonly fall: Edge }
  /** Calls the region at `target`, which is `probably` there; goes to `edge` when it has come back to `returnTo`. */
  | { readonly kind: 'call'; readonly target: GuestAddr | { readonly value: Value; readonly probably?: GuestAddr | undefined }; readonly returnTo: GuestAddr; readonly edge: Edge }
  /** Goes back to the region that has called this one if the target is where that goes on, else leaves. */
  | { readonly kind: 'return'; readonly target: Value }
  /** Goes to `edge` if the target is `expected`, else leaves. */
  | { readonly kind: 'expect'; readonly target: Value; readonly expected: GuestAddr; readonly edge: Edge }
  /** Goes to the target by way of the region's switch, if it has one, else leaves. */
  | { readonly kind: 'indirect'; readonly target: Value; readonly edge?: Edge }
  /** Of the node that all indirect jumps go to: on from there to where they have led before, or out. */
  | { readonly kind: 'switch'; readonly cases: readonly { readonly address: GuestAddr; readonly edge: Edge }[] }
  | { readonly kind: 'syscall'; readonly next: GuestAddr }
  /** The last instruction cannot be done in compiled code. */
  | { readonly kind: 'interpret'; readonly at: GuestAddr };

export interface RegionNode {
  readonly block: Block;
  end: RegionEnd;
}

export interface Region {
  readonly nodes: readonly RegionNode[];
  /** Where it can be entered from outside, and the node that is gone to: the one there, or the switch. */
  readonly entries: readonly { readonly address: GuestAddr; readonly node: number }[];
  readonly instructions: number;
}

export interface RegionLimits {
  readonly instructions: number;
  readonly nodes: number;
  /** Of callees that are followed. */
  readonly calleeInstructions: number;
  readonly calleeNodes: number;
}

/** Whether a node stands for code of the guest: a switch does not. */
export function isCode({ block }: RegionNode): boolean {
  return block.instructions > 0;
}

export const DEFAULT_REGION_LIMITS: RegionLimits = { instructions: 200, nodes: 60, calleeInstructions: 40, calleeNodes: 8 };

interface RegionSource {
  /** The block at an address if it is worth having in a region, else null. */
  block(address: GuestAddr): Block | null;
  /** The same for blocks of functions that are followed. */
  calleeBlock(address: GuestAddr): Block | null;
  /**
   * What is at an address if that is no more than an indirect jump: dynamically linked functions are called by way of
   * such.
   */
  stub(address: GuestAddr): Stub | null;
  /** Whether control is known to come to a block from elsewhere, too. */
  isWanted(address: GuestAddr): boolean;
  /** Whether it should be possible to enter at loops: the interpreter may be in the middle of one. */
  readonly entersLoops: boolean;
  /** Where indirect jumps of the region may lead. It can also be entered there. */
  readonly jumpTargets: readonly GuestAddr[];
}

export interface Stub {
  readonly block: Block;
  /** Where it leads to now. */
  readonly target?: GuestAddr | undefined;
}

interface Context {
  readonly parent: Context | null;
  readonly returnTo: GuestAddr;
  readonly nodes: Map<number, number>;
  /** Of a stub: what its jump becomes. */
  readonly call?: { readonly probably: GuestAddr | undefined; readonly edge: Edge };
}

/** Collects the region that starts at `start`, breadth first, up to the limits. */
export function collectRegion(start: GuestAddr, source: RegionSource, limits: RegionLimits): Region | null {
  return new Collector(source, limits).collect(start);
}

export function entryAddresses({ entries }: Region): GuestAddr[] {
  return entries.map(({ address }) => address);
}

class Collector {
  private readonly nodes: RegionNode[] = [];
  private readonly contexts: Context[] = [];
  private readonly entries = new Map<GuestAddr, number>();
  private instructions = 0;
  /** The number of the switch, -1 if there is none. */
  private hub = -1;

  constructor(
    private readonly source: RegionSource,
    private readonly limits: RegionLimits,
  ) {}

  collect(start: GuestAddr): Region | null {
    const top: Context = { parent: null, returnTo: start, nodes: new Map() };
    if (this.add(start, top) === null) return null;
    if (this.source.jumpTargets.includes(start)) this.toSwitch(top);
    else this.entries.set(start, 0);
    for (let i = 0; i < this.nodes.length; i++) {
      const node = this.nodes[i] as RegionNode;
      node.end = i === this.hub ? this.switchTo(this.source.jumpTargets, top) : this.resolve(node.block, this.contexts[i] as Context, i);
    }
    return { nodes: this.nodes, entries: [...this.entries].map(([address, node]) => ({ address, node })), instructions: this.instructions };
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
    if (context.parent === null && this.source.isWanted(block.start)) this.entries.set(block.start, index);
    return index;
  }

  private edge(address: GuestAddr, context: Context, from: number): Edge {
    const node = this.add(address, context);
    if (node === null) return { exit: address };
    // A jump backwards: a loop, which the interpreter may be in the middle of.
    if (node <= from && context.parent === null && this.source.entersLoops) this.entries.set(address, node);
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
        if (context.call !== undefined) return { kind: 'call', target: { value: end.target, probably: context.call.probably }, returnTo: context.returnTo, edge: context.call.edge };
        if (end.via === 'jump') return { kind: 'indirect', target: end.target, ...this.toSwitch(context) };
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

  /** Indirect jumps of the function itself have a switch in common. */
  private toSwitch(context: Context): { edge: Edge } | undefined {
    if (context.parent !== null || this.source.jumpTargets.length === 0) return undefined;
    if (this.hub < 0) {
      const start = (this.nodes[0] as RegionNode).block.start;
      this.hub = this.nodes.push({ block: { start, next: start, instructions: 0, nodes: [], end: { kind: 'jump', target: start } }, end: { kind: 'switch', cases: [] } }) - 1;
      this.contexts.push(context);
    }
    return { edge: { node: this.hub } };
  }

  private switchTo(targets: readonly GuestAddr[], context: Context): RegionEnd {
    const cases = targets.map((address) => ({ address, edge: this.edge(address, context, this.hub) })).filter(({ edge }) => 'node' in edge);
    for (const { address } of cases) this.entries.set(address, this.hub);
    return { kind: 'switch', cases };
  }

  private call(target: GuestAddr, returnTo: GuestAddr, context: Context, n: number): RegionEnd {
    const stub = context.parent === null ? this.source.stub(target) : null;
    if (stub !== null) return this.callBy(stub, returnTo, context, n);
    const callee = context.parent === null ? this.leaf(target) : null;
    if (callee === null) return this.callWithReturn(target, returnTo, context, n) ?? { kind: 'jump', edge: { exit: target } };
    const inner: Context = { parent: context, returnTo, nodes: new Map() };
    for (const block of callee) this.addBlock(block, inner);
    return { kind: 'jump', edge: { node: inner.nodes.get(target) as number } };
  }

  private callBy({ block, target }: Stub, returnTo: GuestAddr, context: Context, n: number): RegionEnd {
    const edge = this.edge(returnTo, context, n);
    if ('exit' in edge) return { kind: 'jump', edge: { exit: block.start } };
    const inner: Context = { parent: context, returnTo, nodes: new Map(), call: { probably: target, edge } };
    return { kind: 'jump', edge: { node: this.addBlock(block, inner) } };
  }

  /** Null if what comes after the call is not in the region. */
  private callWithReturn(target: GuestAddr | { value: Value }, returnTo: GuestAddr, context: Context, n: number): RegionEnd | null {
    const edge = this.edge(returnTo, context, n);
    return 'node' in edge ? { kind: 'call', target, returnTo, edge } : null;
  }

  private afterSyscall(address: GuestAddr, context: Context): void {
    if (context.parent !== null) return;
    const node = this.add(address, context);
    if (node !== null && !this.entries.has(address)) this.entries.set(address, node);
  }

  /** The warm blocks of a small function that calls nothing, null if it is no such function. */
  private leaf(target: GuestAddr): readonly Block[] | null {
    const found = new Map<number, Block>();
    const queue: GuestAddr[] = [target];
    let instructions = 0;
    for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
      if (found.has(at)) continue;
      const block = this.source.calleeBlock(at);
      if (block === null) {
        if (at === target) return null;
        continue;
      }
      // A function with a hook may change mappings, and checks before it say nothing about what comes after.
      if (block.nodes.some(({ op }) => HOOKS.includes(op))) return null;
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
