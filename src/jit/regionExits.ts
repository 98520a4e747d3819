/**
 * The ways into and out of a region's function, and the instruction count.
 *
 * Control leaves for a block elsewhere (exit, leave), goes back to a calling region (goBack), or stops
 * at a site, where JavaScript sorts things out (sites.ts). What is dirty is written back on the way out.
 *
 * Time: `pending` counts, while compiling, the instructions since the ticks were last brought up to
 * date; that is done where paths join and at exits. Loop headers and the entry make sure that there
 * are enough ticks left for the longest way to the next such check.
 */
import { type GuestAddr, guestAddr } from '../base/types.js';
import { FAULT_ADDRESS, FAULT_PC, RIP, TICKS } from '../layout/cpuState.js';
import { REGION_TICKS, STATE_BASE } from '../layout/memoryMap.js';
import type { Code } from '../wasm/code.js';
import { ENTRY_LAYOUT, emitEntryAddress, emitFunctionIndex, emitWhich, entryOffset } from './blockTable.js';
import type { Watchfulness } from './accessChecks.js';
import { EXIT } from './exits.js';
import type { Region } from './region.js';
import { emitReturnCheck } from './returnCheck.js';
import type { Site } from './sites.js';
import type { SlotFlow } from './slotFlow.js';
import { NOTHING_LOADED, type SlotLocals } from './slotLocals.js';
import { isSubset, sameSet, sizeOf, type SlotSet } from './slotSet.js';

/** What a region's function knows of the module it is in. */
export interface RegionModule {
  /** Index of the region in the function table. */
  readonly tableIndex: number;
  /** The region of the same module that can be entered at `address`, and the number of that entry. */
  functionAt(address: number): { readonly index: number; readonly which: number } | undefined;
  /** Gives a site its number. */
  site(site: Site): number;
  /** Whether accesses of the instruction at `address` should be checked alone: checks shared with others fail often. */
  standsAlone(address: number): boolean;
  /** How much a region has to look out for watched memory. */
  watchfulness(region: Region): Watchfulness;
  /** Function index of a helper in the module being built. */
  helper(name: string): number;
  /** Calls the region at rip, whose entry in the block table is given: (entry, depth, expected) -> EXIT. */
  readonly callByTable: number;
  /** Type index of a region's function. */
  readonly regionType: number;
}

/** The parameters of a region's function. */
export const PARAMETER = { WHICH: 0, DEPTH: 1, EXPECTED: 2 } as const;

/** In REGION_TICKS: the region is no longer valid. It passes control on to whatever else there is for its entry. */
export const NEVER_ENTERED = -1;

/** An epilogue for exits at which these slots are dirty. */
interface WayOut {
  readonly slots: SlotSet;
  label: number;
}

/** Most ways out that share their code; exits that fit none write back by themselves. */
const MAX_WAYS_OUT = 12;

function commonWaysOut(flow: SlotFlow): WayOut[] {
  const ways: WayOut[] = [];
  for (const slots of [...flow.dirtyAfter, ...flow.dirtyAt]) {
    if (ways.length < MAX_WAYS_OUT && !ways.some((way) => sameSet(way.slots, slots))) ways.push({ slots, label: 0 });
  }
  return ways;
}

export class RegionExits {
  /** Instructions that the ticks do not know of yet. */
  pending = 0;
  /** The local with the address to leave for. */
  readonly rip: number;
  private readonly ticks: number;
  private readonly entry: number;
  private readonly site: number;
  private readonly waysOut: WayOut[];
  private exitLabel = 0;
  private siteLabel = 0;

  constructor(
    private readonly code: Code,
    private readonly slots: SlotLocals,
    private readonly module: RegionModule,
    flow: SlotFlow,
    /** Instructions on the longest way from one look at the ticks to the next. */
    private readonly longest: number,
  ) {
    this.waysOut = commonWaysOut(flow);
    this.entry = code.local('i32', 'entry');
    this.ticks = code.local('i64', 'ticks');
    this.rip = code.local('i64', 'rip');
    this.site = code.local('i32', 'site');
  }

  /** What comes before the code that uses these exits. */
  open(): void {
    const { code } = this;
    this.loadTicks();
    // From memory, not a constant: a region that is no longer valid is made to need more than there ever is.
    const needed = REGION_TICKS + this.module.tableIndex * 4;
    code.get(this.ticks).i32(0).mem('i64.load32_u', needed, 2).op('i64.lt_s').hint(false).if_();
    code.i32(EXIT.CONTINUE).i32(EXIT.BUDGET).i32(0).mem('i32.load', needed, 2).i32(NEVER_ENTERED).op('i32.eq').select().ret();
    code.end();
    this.exitLabel = code.block();
    for (const way of this.waysOut) way.label = code.block();
    this.siteLabel = code.block();
  }

  /** Before a switch that is the first to be entered. */
  loadRip(): void {
    this.code.i32(STATE_BASE).mem('i64.load', RIP.offset, 3).set(this.rip);
  }

  /** And what comes after it. */
  close(): void {
    const { code } = this;
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

  /** Brings the ticks up to date. */
  settle(): void {
    if (this.pending !== 0) this.code.get(this.ticks).i64num(this.pending).op('i64.sub').set(this.ticks);
  }

  /** Brings them up to date in linear memory only. */
  showTicks(): void {
    this.code.i32(STATE_BASE).get(this.ticks).i64num(this.pending).op('i64.sub').mem('i64.store', TICKS.offset, 3);
  }

  // ---- sites

  /**
   * If the i32 on the stack is not 0: the instruction at `address` is to be interpreted; `unretired` of the current
   * node have not happened.
   */
  interpretIf(address: number, unretired: number): void {
    this.setSite(EXIT.SLOW, address, unretired);
    this.code.hint(false).brIf(this.siteLabel);
  }

  stop(exit: number, address: number, unretired: number): void {
    this.setSite(exit, address, unretired);
    this.code.br(this.siteLabel);
  }

  stopIfOutOfTicks(address: number): void {
    const { code } = this;
    code.get(this.ticks).i64num(this.longest).op('i64.lt_s').if_();
    this.stop(EXIT.BUDGET, address, 0);
    code.end();
  }

  /** The same before code that is at the address in `rip`. */
  leaveIfOutOfTicks(): void {
    const { code } = this;
    code.get(this.ticks).i64num(this.longest).op('i64.lt_s').if_();
    this.leave();
    code.end();
  }

  // ---- other regions

  /** Leaves the region for a known address. */
  exit(address: number): void {
    const { code } = this;
    this.settle();
    const neighbour = this.module.functionAt(address);
    if (neighbour !== undefined) {
      this.writeAllBack(() => code.i64num(address));
      code.i32(neighbour.which).get(PARAMETER.DEPTH).get(PARAMETER.EXPECTED).returnCall(neighbour.index);
      return;
    }
    code.i64num(address).set(this.rip);
    code.i32(entryOffset(address)).set(this.entry);
    this.wayOut();
  }

  /** Leaves for the address in `rip`. */
  leave(): void {
    this.settle();
    emitEntryAddress(this.code, this.rip);
    this.code.set(this.entry);
    this.wayOut();
  }

  /** If the address in `rip` is where the region that has called this one goes on: back there. */
  goBackIfExpected(): void {
    const { code } = this;
    code.get(this.rip).get(PARAMETER.EXPECTED).op('i64.eq').if_();
    this.settle();
    this.writeAllBack(() => code.get(this.rip));
    code.i32(EXIT.RETURNED).ret();
    code.end();
  }

  /** Leaves for the address in `rip`, to which the guest's return at `from` goes unexpectedly. */
  leaveByReturn(from: number): void {
    const { code } = this;
    emitReturnCheck(code, this.rip, this.entry, () => {
      this.settle();
      this.writeAllBack(() => code.get(this.rip));
      code.i32(STATE_BASE).i64num(from).mem('i64.store', FAULT_ADDRESS.offset, 3);
      code.i32(EXIT.ASTRAY).ret();
    });
    this.leave();
  }

  /** Calls the region at `target`, which is in `rip`, too; goes on when it has come back to `returnTo`. */
  call(target: GuestAddr, returnTo: GuestAddr): void {
    const { code } = this;
    this.beforeCall();
    const neighbour = this.module.functionAt(target);
    if (neighbour !== undefined) code.i32(neighbour.which);
    else code.i32(entryOffset(target));
    this.passOn(neighbour?.index ?? this.module.callByTable, returnTo);
    this.afterCall(returnTo);
  }

  /**
   * The same with an address that is only in `rip`. If it is `probably` that of a region of the same module, it need
   * not be looked up.
   */
  callIndirectly(probably: GuestAddr | undefined, returnTo: GuestAddr): void {
    const { code } = this;
    this.beforeCall();
    const neighbour = probably === undefined ? undefined : this.module.functionAt(probably);
    const done = code.block();
    if (neighbour !== undefined) {
      code.get(this.rip).i64num(probably as number).op('i64.eq').if_();
      code.i32(neighbour.which);
      this.passOn(neighbour.index, returnTo);
      code.br(done);
      code.end();
    }
    emitEntryAddress(code, this.rip);
    this.passOn(this.module.callByTable, returnTo);
    code.end();
    this.afterCall(returnTo);
  }

  // ---- pieces

  private beforeCall(): void {
    const { code } = this;
    this.settle();
    this.pending = 0;
    this.writeAllBack(() => code.get(this.rip));
    code.get(PARAMETER.DEPTH).op('i32.eqz').if_();
    code.i32(EXIT.CONTINUE).ret();
    code.end();
  }

  /** Calls a function whose first argument is on the stack, and keeps its result. */
  private passOn(index: number, returnTo: GuestAddr): void {
    this.code.get(PARAMETER.DEPTH).i32(1).op('i32.sub').i64num(returnTo).call(index).set(this.entry);
  }

  private afterCall(returnTo: GuestAddr): void {
    const { code } = this;
    code.get(this.entry).i32(EXIT.RETURNED).op('i32.ne').if_();
    code.get(this.entry).ret();
    code.end();
    this.slots.state = NOTHING_LOADED;
    this.loadTicks();
    // The callee has used some up.
    this.stopIfOutOfTicks(returnTo);
  }

  private setSite(exit: number, address: number, unretired: number): void {
    const dirty = this.slots.dirtyAtSite();
    const number = this.module.site({ exit, rip: guestAddr(address), retired: this.pending - unretired, unretired, dirty });
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

  /** If the code at rip is compiled, tail-calls it, else leaves that to the dispatcher. */
  private epilogue(): void {
    const { code, entry } = this;
    this.storeTicks();
    this.storeRip(() => code.get(this.rip));
    code.get(entry).mem('i64.load', ENTRY_LAYOUT.address, 3).get(this.rip).op('i64.ne').if_();
    code.i32(EXIT.CONTINUE).ret();
    code.end();
    code.get(entry).mem('i32.load', ENTRY_LAYOUT.compiled, 2).tee(entry).op('i32.eqz').if_();
    code.i32(EXIT.CONTINUE).ret();
    code.end();
    emitWhich(code, entry);
    code.get(PARAMETER.DEPTH).get(PARAMETER.EXPECTED);
    emitFunctionIndex(code, entry);
    code.returnCallIndirect(this.module.regionType);
  }

  private writeAllBack(pushRip: () => void): void {
    this.slots.store(this.slots.state.dirty);
    this.storeTicks();
    this.storeRip(pushRip);
  }

  private loadTicks(): void {
    this.code.i32(STATE_BASE).mem('i64.load', TICKS.offset, 3).set(this.ticks);
  }

  private storeTicks(): void {
    this.code.i32(STATE_BASE).get(this.ticks).mem('i64.store', TICKS.offset, 3);
  }

  private storeRip(push: () => void): void {
    this.code.i32(STATE_BASE);
    push();
    this.code.mem('i64.store', RIP.offset, 3);
  }
}
