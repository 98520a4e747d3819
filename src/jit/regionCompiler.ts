/**
 * Compiles a region to one WebAssembly function (which, depth, expected) -> EXIT, entered at its
 * which-th entry; rip says the same. Guest registers live in locals (slotLocals.ts); what has changed is
 * written back on the way out (regionExits.ts).
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
 * A guest's call is a WebAssembly call: `expected` is where the guest should return to, and EXIT.RETURNED says
 * that it did. Tail calls pass it on. Any other EXIT unwinds all callers, whose state is in memory; then
 * a return finds its way through the block table. At most `depth` calls are nested.
 */
import { assert } from '../base/assert.js';
import type { Code } from '../wasm/code.js';
import { AccessChecks } from './accessChecks.js';
import { BlockEmitter } from './blockEmitter.js';
import { analyseShape, longestWay, type Shape } from './controlFlow.js';
import { EXIT } from './exits.js';
import { type FramePlan, planFrameGuards } from './frameGuards.js';
import { type Covered, type GuardPlan, planGuards } from './guards.js';
import { emitOffset } from './memoryAccess.js';
import { type Edge, entryAddresses, lastInstruction, type Region, type RegionEnd, type RegionNode } from './region.js';
import { perfectHash } from './perfectHash.js';
import { PARAMETER, RegionExits, type RegionModule } from './regionExits.js';
import { analyseSlots, type SlotFlow } from './slotFlow.js';
import { NOTHING_LOADED, SlotLocals } from './slotLocals.js';
import { difference, intersection, NO_SLOTS, type SlotSet } from './slotSet.js';

/** Says how many ticks have to be left for the region to be entered. */
export function compileRegion(code: Code, region: Region, module: RegionModule): number {
  return new RegionCompiler(code, region, module).compile();
}

class RegionCompiler {
  readonly slots: SlotLocals;
  readonly checks: AccessChecks;
  private readonly shape: Shape;
  private readonly longest: number;
  private readonly frame: FramePlan;
  private readonly guards: GuardPlan;
  private readonly flow: SlotFlow;
  private readonly exits: RegionExits;
  /** Per merge node: the slots that are loaded on all branches to it so far. */
  private readonly mergeStates = new Map<number, SlotSet>();
  private readonly loopLabels = new Map<number, number>();
  private readonly mergeLabels = new Map<number, number>();
  private hopLabel = 0;
  private readonly emitter: BlockEmitter;

  constructor(
    readonly code: Code,
    private readonly region: Region,
    module: RegionModule,
  ) {
    this.shape = analyseShape(region);
    this.longest = longestWay(region, this.shape);
    this.frame = planFrameGuards(region, this.shape.targets, module.standsAlone(this.firstAddress));
    this.guards = planGuards(region, this.shape, this.frame.cover, module.standsAlone);
    this.slots = new SlotLocals(code);
    this.checks = new AccessChecks(code, module.watchfulness(region));
    this.flow = analyseSlots(region, this.shape);
    this.exits = new RegionExits(code, this.slots, module, this.flow, this.longest);
    this.emitter = new BlockEmitter(this, module.helper);
  }

  compile(): number {
    const { code, exits } = this;
    exits.open();
    if (this.region.entries.some(({ node }) => this.node(node).end.kind === 'switch')) exits.loadRip();
    this.frameChecks();
    if (this.shape.hasHops) this.hopLabel = code.loop();
    this.tree(this.shape.root);
    if (this.shape.hasHops) code.end();
    exits.close();
    return this.longest;
  }

  interpretIf(address: number, unretired: number): void {
    this.exits.interpretIf(address, unretired);
  }

  showTicks(): void {
    this.exits.showTicks();
  }

  interpret(address: number, unretired: number): void {
    this.exits.stop(EXIT.SLOW, address, unretired);
  }

  /** One check for all accesses that keep their distance to a register at the entry. */
  private frameChecks(): void {
    const { code } = this;
    const address = code.local('i64', 'frame');
    for (const guard of this.frame.guards) {
      this.slots.push(guard.register);
      code.i64num(guard.low).op('i64.add').set(address);
      this.checks.span(address, guard.high - guard.low, guard.write, () => this.interpretIf(this.firstAddress, 0));
      guard.anchor = code.local('i32', 'anchor');
      emitOffset(code, address);
      code.set(guard.anchor);
    }
  }

  /** Emits a node and everything it dominates. `pending` is 0 on entry if control can come from more than one place. */
  private tree(n: number): void {
    const { code, shape, exits } = this;
    const isLoop = shape.isLoopHeader[n] === 1;
    const merged = this.mergeStates.get(n);
    if (merged !== undefined) this.slots.state = { loaded: merged, dirty: this.flow.dirtyAt[n] as SlotSet };
    if (isLoop) {
      this.enterLoop(n);
      exits.settle();
      exits.pending = 0;
      this.loopLabels.set(n, code.loop());
      this.stopIfOutOfTicks(n);
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
    this.exits.pending = 0;
    this.tree(last);
  }

  /**
   * Goes where the region is to be entered. A target that can also be reached from inside expects certain
   * slots in their locals: from outside they are loaded first. Numbers beyond those of the entries are for
   * hops, which have them already.
   */
  private dispatch(): void {
    const { shape, code, region } = this;
    const { targets } = shape;
    if (targets.length === 1) {
      this.follow(shape.root, { node: targets[0] as number });
      return;
    }
    const loading = targets.filter((target) => this.flow.neededAt.has(target));
    const loadLabels = new Map(loading.map((target) => [target, code.block()]));
    const direct = (target: number): number => this.mergeLabels.get(target) as number;
    const labels = region.entries.map(({ node }) => loadLabels.get(node) ?? direct(node));
    if (shape.hasHops) labels.push(...targets.map(direct));
    code.get(PARAMETER.WHICH).brTable(labels.slice(0, -1), labels.at(-1) as number);
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
    const { code, exits } = this;
    const { block, end } = this.node(n);
    exits.pending += block.instructions;
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
        code.set(exits.rip);
        exits.goBackIfExpected();
        exits.leaveByReturn(lastInstruction(block));
        break;
      case 'expect':
        this.emitter.push(end.target);
        code.tee(exits.rip).i64num(end.expected).op('i64.ne').if_();
        exits.leaveByReturn(lastInstruction(block));
        code.end();
        this.follow(n, end.edge);
        break;
      case 'indirect':
        this.emitter.push(end.target);
        code.set(exits.rip);
        if (end.edge !== undefined) this.follow(n, end.edge);
        else exits.leave();
        break;
      case 'switch':
        this.switch(n, end.cases);
        break;
      case 'syscall':
        exits.stop(EXIT.SYSCALL, end.next, 0);
        break;
      case 'interpret':
        exits.stop(EXIT.SLOW, end.at, 1);
    }
    this.emitter.releaseAnchors(anchors);
  }

  private call(n: number, { target, returnTo, edge }: RegionEnd & { kind: 'call' }): void {
    if (typeof target === 'object') this.emitter.push(target.value);
    else this.code.i64num(target);
    this.code.set(this.exits.rip);
    if (typeof target === 'object') this.exits.callIndirectly(target.probably, returnTo);
    else this.exits.call(target, returnTo);
    this.follow(n, edge);
  }

  /** A condition is on the stack. */
  private choose(n: number, taken: Edge, fall: Edge): void {
    const { code, exits } = this;
    const { pending } = exits;
    const { state } = this.slots;
    code.if_();
    this.follow(n, taken);
    code.end();
    exits.pending = pending;
    this.slots.state = state;
    this.follow(n, fall);
  }

  /** Before node n. A switch goes to an address that is not known before; its own region looks at the ticks, too. */
  private stopIfOutOfTicks(n: number): void {
    const { block, end } = this.node(n);
    if (end.kind === 'switch') this.exits.leaveIfOutOfTicks();
    else this.exits.stopIfOutOfTicks(block.start);
  }

  /** Goes on at the address in `rip` if that is one of the cases, else leaves. */
  private switch(n: number, cases: readonly { readonly address: number; readonly edge: Edge }[]): void {
    const { code, exits } = this;
    const { pending } = exits;
    const { state } = this.slots;
    const spread = perfectHash(cases.map(({ address }) => address));
    const otherwise = code.block();
    const labels = cases.map(() => code.block());
    code.get(exits.rip).op('i32.wrap_i64').i32(spread.factor).op('i32.mul').i32(32 - spread.bits).op('i32.shr_u');
    code.brTable(spread.places.map((i) => (i < 0 ? otherwise : (labels[i] as number))), otherwise);
    for (let i = cases.length - 1; i >= 0; i--) {
      const { address, edge } = cases[i] as { address: number; edge: Edge };
      code.end();
      code.get(exits.rip).i64num(address).op('i64.ne').hint(false).brIf(otherwise);
      this.follow(n, edge);
      exits.pending = pending;
      this.slots.state = state;
    }
    code.end();
    exits.leave();
  }

  private follow(n: number, edge: Edge): void {
    if ('exit' in edge) return this.exits.exit(edge.exit);
    if ('hop' in edge) return this.hop(edge.hop);
    const label = this.labelOf(n, edge);
    if (label === null) return this.tree(edge.node);
    this.exits.settle();
    if ((this.shape.position[edge.node] as number) > (this.shape.position[n] as number)) this.join(edge.node);
    else this.slots.load(this.flow.loopUses.get(edge.node) as SlotSet);
    this.code.br(label);
  }

  /** Goes to a node by way of the root. Nothing else looks at the ticks on such a way. */
  private hop(target: number): void {
    const { exits, shape, region } = this;
    exits.settle();
    exits.pending = 0;
    this.join(target);
    this.stopIfOutOfTicks(target);
    this.code.i32(region.entries.length + shape.targets.indexOf(target)).set(PARAMETER.WHICH).br(this.hopLabel);
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
    return entryAddresses(this.region)[0] as number;
  }

  private node(n: number): RegionNode {
    return this.region.nodes[n] as RegionNode;
  }
}
