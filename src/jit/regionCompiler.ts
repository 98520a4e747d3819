/**
 * Compiles a region to one WebAssembly function (which, depth, expected) -> EXIT, entered at its
 * which-th entry; rip says the same. Guest registers live in locals (slotLocals.ts); what has changed is written back on
 * the way out.
 *
 *   block $exit
 *     block $dirty_k        one for each set of slots that is dirty at many exits
 *       the nodes, as structured control flow (controlFlow.ts)
 *     end
 *     write that set back, br $exit
 *   end
 *   write ticks and rip back
 *   if the code at rip is compiled: tail-call it
 *   return CONTINUE
 *
 * Everything else that can happen stops at a site (sites.ts).
 *
 * A guest's call is a WebAssembly call: `expected` is where the guest should return to, and EXIT.RETURNED says
 * that it did. Tail calls pass it on. Any other EXIT unwinds all callers, whose state is in memory; then
 * a return finds its way through the block table. At most `depth` calls are nested.
 *
 * Time: `pending` counts, while compiling, the instructions since the ticks were last brought up to
 * date; that is done where paths join and at exits. Loop headers and the entry make sure that there
 * are enough ticks left for the longest way to the next such check.
 */
import { assert } from '../base/assert.js';
import { type GuestAddr, guestAddr } from '../base/types.js';
import type { Value } from '../ir/ir.js';
import { FAULT_PC, RIP, TICKS } from '../layout/cpuState.js';
import { REGION_TICKS, STATE_BASE } from '../layout/memoryMap.js';
import type { Code } from '../wasm/code.js';
import { BlockEmitter } from './blockEmitter.js';
import { ENTRY_LAYOUT, emitEntryAddress, emitFunctionIndex, emitWhich, entryOffset } from './blockTable.js';
import { analyseShape, type Shape } from './controlFlow.js';
import { EXIT } from './exits.js';
import { type FramePlan, planFrameGuards } from './frameGuards.js';
import { type Covered, type GuardPlan, planGuards } from './guards.js';
import { emitCheck, emitOffset } from './memoryAccess.js';
import type { Edge, Region, RegionEnd, RegionNode } from './region.js';
import type { Site } from './sites.js';
import { analyseSlots, type SlotFlow } from './slotFlow.js';
import { NOTHING_LOADED, SlotLocals } from './slotLocals.js';
import { difference, intersection, isSubset, NO_SLOTS, sameSet, sizeOf, type SlotSet } from './slotSet.js';

export interface RegionModule {
  /** Index of the region in the function table. */
  readonly tableIndex: number;
  /** The region of the same module that can be entered at `address`, and the number of that entry. */
  functionAt(address: number): { readonly index: number; readonly which: number } | undefined;
  /** Gives a site its number. */
  site(site: Site): number;
  /** Whether accesses of the instruction at `address` should be checked alone: checks shared with others fail often. */
  standsAlone(address: number): boolean;
  /** Function index of a helper in the module being built. */
  helper(name: string): number;
  /** Calls the region at rip, whose entry in the block table is given: (entry, depth, expected) -> EXIT. */
  readonly callByTable: number;
  /** Type index of a region's function. */
  readonly regionType: number;
}

/** The parameters. */
const WHICH = 0;
const DEPTH = 1;
const EXPECTED = 2;

/** An epilogue for exits at which these slots are dirty. */
interface WayOut {
  readonly slots: SlotSet;
  label: number;
}

/** In REGION_TICKS: the region is no longer valid. It passes control on to whatever else there is for its entry. */
export const NEVER_ENTERED = -1;

/** Most ways out that share their code; exits that fit none write back by themselves. */
const MAX_WAYS_OUT = 12;

function commonWaysOut(flow: SlotFlow): WayOut[] {
  const ways: WayOut[] = [];
  for (const slots of [...flow.dirtyAfter, ...flow.dirtyAt]) {
    if (ways.length < MAX_WAYS_OUT && !ways.some((way) => sameSet(way.slots, slots))) ways.push({ slots, label: 0 });
  }
  return ways;
}

export function compileRegion(code: Code, region: Region, module: RegionModule): void {
  new RegionCompiler(code, region, module).compile();
}

export class RegionCompiler {
  readonly slots: SlotLocals;
  readonly ticks: number;
  private readonly rip: number;
  private readonly site: number;
  private exitLabel = 0;
  private hopLabel = 0;
  private siteLabel = 0;
  private pending = 0;
  private readonly shape: Shape;
  private readonly frame: FramePlan;
  private readonly guards: GuardPlan;
  private readonly flow: SlotFlow;
  private readonly waysOut: WayOut[];
  private readonly entry: number;
  /** Per merge node: the slots that are loaded on all branches to it so far. */
  private readonly mergeStates = new Map<number, SlotSet>();
  private readonly loopLabels = new Map<number, number>();
  private readonly mergeLabels = new Map<number, number>();
  private readonly emitter: BlockEmitter;

  constructor(
    readonly code: Code,
    private readonly region: Region,
    private readonly module: RegionModule,
  ) {
    this.shape = analyseShape(region);
    this.frame = planFrameGuards(region, this.shape.targets, module.standsAlone(this.firstAddress));
    this.guards = planGuards(region, this.shape, this.frame.cover, module.standsAlone);
    this.slots = new SlotLocals(code);
    this.flow = analyseSlots(region, this.shape);
    this.waysOut = commonWaysOut(this.flow);
    this.entry = code.local('i32', 'entry');
    this.ticks = code.local('i64', 'ticks');
    this.rip = code.local('i64', 'rip');
    this.site = code.local('i32', 'site');
    this.emitter = new BlockEmitter(this, module.helper);
  }

  compile(): void {
    const { code } = this;
    code.i32(STATE_BASE).mem('i64.load', TICKS.offset, 3).tee(this.ticks);
    // From memory, not a constant: a region that is no longer valid is made to need more than there ever is.
    const needed = REGION_TICKS + this.module.tableIndex * 4;
    code.i32(0).mem('i64.load32_u', needed, 2).op('i64.lt_s').hint(false).if_();
    code.i32(EXIT.CONTINUE).i32(EXIT.BUDGET).i32(0).mem('i32.load', needed, 2).i32(NEVER_ENTERED).op('i32.eq').select().ret();
    code.end();
    this.exitLabel = code.block();
    for (const way of this.waysOut) way.label = code.block();
    this.siteLabel = code.block();
    this.frameChecks();
    if (this.shape.hasHops) this.hopLabel = code.loop();
    this.tree(this.shape.root);
    if (this.shape.hasHops) code.end();
    code.unreachable();
    code.end();
    this.stopAtSite();
    for (const { slots } of [...this.waysOut].reverse()) {
      code.end();
      this.slots.store(slots);
      code.br(this.exitLabel);
    }
    code.end();
    this.epilogue();
  }

  /** One check for all accesses that keep their distance to a register at the entry. */
  private frameChecks(): void {
    const { code } = this;
    const address = code.local('i64', 'frame');
    for (const guard of this.frame.guards) {
      this.slots.push(guard.register);
      code.i64num(guard.low).op('i64.add').set(address);
      emitCheck(code, address, guard.high - guard.low, guard.write);
      this.interpretIf(this.firstAddress, 0);
      guard.anchor = code.local('i32', 'anchor');
      emitOffset(code, address);
      code.set(guard.anchor);
    }
  }

  interpretIf(address: number, unretired: number): void {
    this.setSite(EXIT.SLOW, address, unretired);
    this.code.hint(false).brIf(this.siteLabel);
  }

  interpret(address: number, unretired: number): void {
    this.setSite(EXIT.SLOW, address, unretired);
    this.code.br(this.siteLabel);
  }

  /** `unretired` instructions of the current node have not happened. */
  private setSite(exit: number, address: number, unretired: number): void {
    const dirty = this.slots.dirtyAtSite();
    const number = this.module.site({ exit, rip: guestAddr(address), retired: this.pending - unretired, dirty });
    this.code.i32(number).set(this.site);
  }

  /** Puts everything where JavaScript finds it. */
  private stopAtSite(): void {
    const { code } = this;
    this.slots.save();
    this.storeTicks();
    code.i32(STATE_BASE).get(this.site).mem('i32.store', FAULT_PC.offset, 2);
    code.i32(EXIT.SITE).ret();
  }

  /** Leaves the region for a known address. */
  private exit(address: number): void {
    const { code } = this;
    this.settle(this.pending);
    const neighbour = this.module.functionAt(address);
    if (neighbour !== undefined) {
      this.slots.store(this.slots.state.dirty);
      this.storeTicks();
      code.i32(STATE_BASE).i64num(address).mem('i64.store', RIP.offset, 3);
      code.i32(neighbour.which).get(DEPTH).get(EXPECTED).returnCall(neighbour.index);
      return;
    }
    code.i64num(address).set(this.rip);
    code.i32(entryOffset(address)).set(this.entry);
    this.wayOut();
  }

  /** Goes to the epilogue, writing back what is dirty here. */
  private wayOut(): void {
    const { code } = this;
    const { loaded, dirty } = this.slots.state;
    // What is loaded but clean may be written back as well: it is what memory holds.
    const fitting = this.waysOut.filter(({ slots }) => isSubset(dirty, slots) && isSubset(slots, loaded));
    const best = fitting.sort((a, b) => sizeOf(a.slots) - sizeOf(b.slots))[0];
    if (best !== undefined) {
      code.br(best.label);
      return;
    }
    this.slots.store(dirty);
    code.br(this.exitLabel);
  }

  private epilogue(): void {
    const { code } = this;
    this.storeTicks();
    code.i32(STATE_BASE).get(this.rip).mem('i64.store', RIP.offset, 3);
    const { entry } = this;
    code.get(entry).mem('i64.load', ENTRY_LAYOUT.address, 3).get(this.rip).op('i64.ne').if_();
    code.i32(EXIT.CONTINUE).ret();
    code.end();
    code.get(entry).mem('i32.load', ENTRY_LAYOUT.compiled, 2).tee(entry).op('i32.eqz').if_();
    code.i32(EXIT.CONTINUE).ret();
    code.end();
    emitWhich(code, entry);
    code.get(DEPTH).get(EXPECTED);
    emitFunctionIndex(code, entry);
    code.returnCallIndirect(this.module.regionType);
  }

  /** Takes `count` instructions off the ticks. */
  private settle(count: number): void {
    if (count !== 0) this.code.get(this.ticks).i64num(count).op('i64.sub').set(this.ticks);
  }

  /** Emits a node and everything it dominates. `pending` is 0 on entry if control can come from more than one place. */
  private tree(n: number): void {
    const { code, shape } = this;
    const isLoop = shape.isLoopHeader[n] === 1;
    const merged = this.mergeStates.get(n);
    if (merged !== undefined) this.slots.state = { loaded: merged, dirty: this.flow.dirtyAt[n] as SlotSet };
    if (isLoop) {
      this.enterLoop(n);
      this.settle(this.pending);
      this.pending = 0;
      this.loopLabels.set(n, code.loop());
      this.leaveIfOutOfTicks(n);
    }
    const merges = (shape.children[n] as readonly number[]).filter((child) => shape.isMerge[child] === 1);
    this.within(n, merges);
    if (isLoop) code.end();
  }

  /** In a loop only what it uses is in locals: there are not registers enough for more. The rest is written back. */
  private enterLoop(n: number): void {
    const { loopUses, dirtyAt } = this.flow;
    const uses = loopUses.get(n) as SlotSet;
    this.slots.store(difference(this.slots.state.dirty, uses));
    this.slots.load(uses);
    this.slots.state = { loaded: uses, dirty: intersection(dirtyAt[n] as SlotSet, uses) };
  }

  /** Emits node n inside one block per merge node; the last in order is the outermost. */
  private within(n: number, merges: readonly number[]): void {
    const { code } = this;
    const last = merges.at(-1);
    if (last === undefined) {
      this.body(n);
      return;
    }
    this.mergeLabels.set(last, code.block());
    this.within(n, merges.slice(0, -1));
    code.end();
    this.pending = 0;
    this.tree(last);
  }

  /**
   * Goes where the region is to be entered. A target that can also be reached from inside expects certain
   * slots in their locals: from outside they are loaded first. Numbers beyond those of the targets are for
   * hops, which have them already.
   */
  private dispatch(): void {
    const { shape, code } = this;
    const { targets } = shape;
    if (targets.length === 1) {
      this.follow(shape.root, { node: targets[0] as number });
      return;
    }
    const loading = targets.filter((target) => this.flow.neededAt.has(target));
    const loadLabels = new Map(loading.map((target) => [target, code.block()]));
    const direct = targets.map((target) => this.mergeLabels.get(target) as number);
    const labels = targets.map((target, i) => loadLabels.get(target) ?? (direct[i] as number));
    if (shape.hasHops) labels.push(...direct);
    code.get(WHICH).brTable(labels.slice(0, -1), labels.at(-1) as number);
    for (const target of loading.reverse()) {
      code.end();
      this.slots.state = NOTHING_LOADED;
      this.slots.load(this.flow.neededAt.get(target) as SlotSet);
      code.br(this.mergeLabels.get(target) as number);
    }
    for (const target of targets) this.mergeStates.set(target, this.flow.neededAt.get(target) ?? NO_SLOTS);
  }

  private body(n: number): void {
    if (n === this.shape.root) return this.dispatch();
    const { code } = this;
    const { block, end } = this.node(n);
    this.pending += block.instructions;
    this.emitter.emit(block, this.guards[n] as ReadonlyMap<number, Covered>);
    const anchors = this.emitter.takeAnchors();
    switch (end.kind) {
      case 'jump':
        this.follow(n, end.edge);
        break;
      case 'branch':
        this.emitter.push(end.condition);
        this.choose(n, end.taken, end.fall);
        break;
      case 'call':
        this.call(n, end);
        break;
      case 'return':
        this.emitter.push(end.target);
        code.tee(this.rip).get(EXPECTED).op('i64.eq').if_();
        this.goBack();
        code.end();
        this.leave();
        break;
      case 'expect':
        this.emitter.push(end.target);
        code.tee(this.rip).i64num(end.expected).op('i64.ne').if_();
        this.leave();
        code.end();
        this.follow(n, end.edge);
        break;
      case 'indirect':
        this.emitter.push(end.target);
        code.set(this.rip);
        this.leave();
        break;
      case 'syscall':
        this.setSite(EXIT.SYSCALL, end.next, 0);
        code.br(this.siteLabel);
        break;
      case 'interpret':
        this.interpret(end.at, 1);
    }
    this.emitter.releaseAnchors(anchors);
  }

  /** To the region that has called this one. */
  private goBack(): void {
    const { code, pending } = this;
    this.settle(pending);
    this.slots.store(this.slots.state.dirty);
    this.storeTicks();
    code.i32(STATE_BASE).get(this.rip).mem('i64.store', RIP.offset, 3);
    code.i32(EXIT.RETURNED).ret();
  }

  private call(n: number, { target, returnTo, edge }: RegionEnd & { kind: 'call' }): void {
    const { code } = this;
    if (typeof target === 'object') this.emitter.push(target.value);
    else code.i64num(target);
    code.set(this.rip);
    this.settle(this.pending);
    this.pending = 0;
    this.slots.store(this.slots.state.dirty);
    this.storeTicks();
    code.i32(STATE_BASE).get(this.rip).mem('i64.store', RIP.offset, 3);
    code.get(DEPTH).op('i32.eqz').if_();
    code.i32(EXIT.CONTINUE).ret();
    code.end();
    this.invoke(target, returnTo);
    code.tee(this.entry).i32(EXIT.RETURNED).op('i32.ne').if_();
    code.get(this.entry).ret();
    code.end();
    code.i32(STATE_BASE).mem('i64.load', TICKS.offset, 3).set(this.ticks);
    this.slots.state = NOTHING_LOADED;
    // The callee has used up ticks.
    if ('node' in edge) this.leaveIfOutOfTicks(edge.node);
    this.follow(n, edge);
  }

  /** Pushes the EXIT of the region at `target`. */
  private invoke(target: GuestAddr | { readonly value: Value }, returnTo: GuestAddr): void {
    const { code } = this;
    const neighbour = typeof target === 'object' ? undefined : this.module.functionAt(target);
    if (neighbour !== undefined) code.i32(neighbour.which);
    else if (typeof target === 'object') emitEntryAddress(code, this.rip);
    else code.i32(entryOffset(target));
    code.get(DEPTH).i32(1).op('i32.sub').i64num(returnTo).call(neighbour?.index ?? this.module.callByTable);
  }

  private storeTicks(): void {
    this.code.i32(STATE_BASE).get(this.ticks).mem('i64.store', TICKS.offset, 3);
  }

  /** Leaves for the address in `rip`. */
  private leave(): void {
    this.settle(this.pending);
    emitEntryAddress(this.code, this.rip);
    this.code.set(this.entry);
    this.wayOut();
  }

  /** A condition is on the stack. */
  private choose(n: number, taken: Edge, fall: Edge): void {
    const { code } = this;
    const { pending } = this;
    const { state } = this.slots;
    code.if_();
    this.follow(n, taken);
    code.end();
    this.pending = pending;
    this.slots.state = state;
    this.follow(n, fall);
  }

  private follow(n: number, edge: Edge): void {
    if ('exit' in edge) return this.exit(edge.exit);
    if ('hop' in edge) return this.hop(edge.hop);
    const label = this.labelOf(n, edge);
    if (label === null) return this.tree(edge.node);
    this.settle(this.pending);
    if ((this.shape.position[edge.node] as number) > (this.shape.position[n] as number)) this.join(edge.node);
    else this.slots.load(this.flow.loopUses.get(edge.node) as SlotSet);
    this.code.br(label);
  }

  /** Goes to a node by way of the root. Nothing else looks at the ticks on such a way. */
  private hop(target: number): void {
    const { code } = this;
    this.settle(this.pending);
    this.pending = 0;
    this.join(target);
    this.leaveIfOutOfTicks(target);
    code.i32(this.shape.targets.length + this.shape.targets.indexOf(target)).set(WHICH).br(this.hopLabel);
  }

  private leaveIfOutOfTicks(n: number): void {
    const { code } = this;
    code.get(this.ticks).i64num(this.region.instructions).op('i64.lt_s').if_();
    this.setSite(EXIT.BUDGET, this.node(n).block.start, 0);
    code.br(this.siteLabel);
    code.end();
  }

  /** Before a branch to a merge node: what is dirty on any way to it has to be loaded on all of them. */
  private join(target: number): void {
    const needed = this.flow.neededAt.get(target);
    if (needed !== undefined) {
      this.slots.load(needed);
      return;
    }
    this.slots.load(this.flow.dirtyAt[target] as SlotSet);
    const { loaded } = this.slots.state;
    const others = this.mergeStates.get(target);
    this.mergeStates.set(target, others === undefined ? loaded : intersection(others, loaded));
  }

  /** The label that an edge branches to, or null if the target is emitted in place. */
  private labelOf(n: number, edge: Edge): number | null {
    if (!('node' in edge)) return null;
    const { position, isMerge } = this.shape;
    if ((position[edge.node] as number) <= (position[n] as number)) return this.loopLabels.get(edge.node) as number;
    if (isMerge[edge.node] === 0) return null;
    const label = this.mergeLabels.get(edge.node);
    assert(label !== undefined, 'a merge node has an open block around its predecessors');
    return label;
  }

  private get firstAddress(): number {
    return this.node(this.region.entries[0] as number).block.start;
  }

  private node(n: number): RegionNode {
    return this.region.nodes[n] as RegionNode;
  }
}
