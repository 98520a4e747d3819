/**
 * Lets generated code run while registers have shadow, where a block begins that has nothing to do with these. Such
 * code leaves before a block that has (ir/registerGroups.ts).
 */
import type { GuestAddr } from '../../base/types.js';
import type { Block } from '../../ir/ir.js';
import { ALWAYS_ASKED, groupOf, groupsOf } from '../../ir/registerGroups.js';
import { SHADOWED_GROUPS } from '../../layout/memoryMap.js';
import type { LinearMemory } from '../linearMemory.js';
import type { Stop } from '../stop.js';

const MOST_BLOCKS = 20_000;

export class Parking {
  /** By address of a block: the groups of registers that it has to do with. */
  private readonly groups = new Map<number, number>();
  /** Generated code runs though registers have shadow. */
  private isParked = false;
  /** A block begins where the thread stands, and has not been looked at. */
  private mayPark = false;

  constructor(
    private readonly linear: LinearMemory,
    /** The block that begins there. */
    private readonly block: (address: GuestAddr) => Block | Stop,
  ) {}

  /**
   * Whether generated code may run from here on. `shadowed`: offsets of slots. `propagates`: it may, since it knows
   * what to do with shadow.
   */
  isPossible(at: GuestAddr, shadowed: Iterable<number>, propagates: boolean): boolean {
    if (this.isParked || !this.mayPark) return this.isParked;
    const groups = shadowedGroups(shadowed);
    this.mayPark = false;
    this.isParked = propagates || (this.groupsAt(at) & groups) === 0;
    if (this.isParked) this.word = groups;
    return this.isParked;
  }

  /** Generated code that propagates shadow has left; instructions that are executed alone leave by this. */
  left(shadowed: Iterable<number>): void {
    this.isParked = true;
    this.word = shadowedGroups(shadowed);
  }

  /** Generated code does not run: what is executed one by one must not leave. `isBlock`: a block begins next. */
  end(isBlock: boolean): void {
    this.isParked = false;
    this.mayPark = isBlock;
    this.word = 0;
  }

  /** No register has shadow; there may be some in memory. */
  watchMemory(): void {
    this.word = ALWAYS_ASKED;
  }

  codeChanged(): void {
    this.groups.clear();
  }

  private set word(groups: number) {
    this.linear.u32[SHADOWED_GROUPS / 4] = groups;
  }

  /** What the block there has to do with; everything if there is none. */
  private groupsAt(address: GuestAddr): number {
    let groups = this.groups.get(address);
    if (groups !== undefined) return groups;
    const block = this.block(address);
    groups = 'nodes' in block ? groupsOf(block) : -1;
    if (this.groups.size > MOST_BLOCKS) this.groups.clear();
    this.groups.set(address, groups);
    return groups;
  }
}

function shadowedGroups(offsets: Iterable<number>): number {
  let groups = ALWAYS_ASKED;
  for (const offset of offsets) groups |= groupOf(offset);
  return groups;
}
