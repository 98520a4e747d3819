/**
 * Blocks that are no more, as they were when they were given back. In a checked run (culprit check) the address of a
 * freed block leads nowhere, and its bytes may serve another block at once; but where a program uses such an address,
 * what it held is what one wants to see. So that is what expressions get: not what is there now, which belongs to
 * another block, but what the block held when it was freed, with a remark that says so. The same goes for pointers to
 * local variables whose functions have returned.
 *
 * Expressions are evaluated at once, and to find a block the execution has to go back: so an evaluation first fails and
 * notes what it has missed; then the blocks are looked for, and it is evaluated again.
 */
import { type GuestAddr, guestAddr } from '../../base/types.js';
import { isLocalAddress } from '../../layout/viewAddresses.js';
import { comparePositions, type Position } from '../../replay/log/position.js';
import { memoryRange, type View } from '../../replay/timeline/conditions.js';
import type { Execution } from '../../replay/timeline/execution.js';
import type { State } from '../../replay/timeline/state.js';
import { Cancelled, type Work } from '../../replay/timeline/work.js';
import type { GoneMemory } from '../program/programView.js';
import { type GoneBlock, GoneSearch } from './goneSearch.js';
import type { ViewAt } from './running.js';

/** So many are looked for at once: of an array of pointers, say. */
const MOST_AT_ONCE = 16;

export class GoneBlocks implements GoneMemory {
  private known: GoneBlock[] = [];
  /**
   * Addresses of no block, and of blocks of which nothing is known; and of variables that are there, at one position.
   */
  private unknown = new Set<GuestAddr>();
  private present: { readonly addresses: Set<GuestAddr>; readonly position: Position } | undefined;
  /** Local variables that an expression has used, by their views. */
  private readonly variables = new Map<number, View>();
  private missed = new Set<GuestAddr>();
  private used = new Set<GoneBlock>();
  private isLooking = false;
  private of: Execution | undefined;

  constructor(private readonly debug: { readonly execution: Execution; readonly viewAt: ViewAt }) {}

  read(state: State, thread: number, address: GuestAddr, size: number): Uint8Array | undefined {
    if (!state.isBlockAddress(thread, address)) return undefined;
    return this.underEarlierAddress(state, thread, address, size) ?? this.held(state, address, size) ?? this.beforeItsView(state, thread, address, size);
  }

  readVariable(state: State, thread: number, address: GuestAddr, size: number): Uint8Array | undefined {
    const view = isLocalAddress(address) ? state.variableNear(thread, address) : undefined;
    if (view === undefined) return undefined;
    this.variables.set(view.begin, view);
    return this.held(state, address, size);
  }

  /** A variable has a view from the time on when its address is taken; before that it is at its plain address. */
  private beforeItsView(state: State, thread: number, address: GuestAddr, size: number): Uint8Array | undefined {
    for (const { begin, size: length, real } of this.variables.values()) {
      if (address < begin || address + size > begin + length) continue;
      return state.read(thread, guestAddr(address - begin + real), size) ?? undefined;
    }
    return undefined;
  }

  private held(state: State, address: GuestAddr, size: number): Uint8Array | undefined {
    this.forgetOthers();
    const block = this.known.find((one) => address >= one.begin && address < one.begin + one.size && comparePositions(one.position, state.position) < 0 && comparePositions(state.position, one.until) <= 0);
    if (block === undefined && this.isLooking) this.missed.add(address);
    if (block === undefined || address + size > block.begin + block.size) return undefined;
    this.used.add(block);
    return block.bytes.slice(address - block.begin, address - block.begin + size);
  }

  /**
   * A block that is not there yet by this address, but by the one that it had before it was resized: that is no block
   * that is gone.
   */
  private underEarlierAddress(state: State, thread: number, address: GuestAddr, size: number): Uint8Array | undefined {
    for (const { start, end } of this.debug.execution.meaning([memoryRange(address, size)], thread).slice(1)) {
      const bytes = end - start === size ? state.read(thread, start, size) : null;
      if (bytes !== null) return bytes;
    }
    return undefined;
  }

  /**
   * What `look` comes to when all blocks are known that it needs, and which of them it has used. The execution stands
   * where it stood.
   */
  async seeing<T>(look: () => T | Promise<T>, work?: Work): Promise<{ readonly seen: T; readonly gone: readonly GoneBlock[] }> {
    for (;;) {
      const { execution } = this.debug;
      const { position } = execution;
      const { seen, failure } = await this.look(look);
      // What has changed the program is not done twice.
      const isAsBefore = this.debug.execution === execution && comparePositions(execution.position, position) === 0;
      if (isAsBefore && (await this.learn(work))) continue;
      if (seen === undefined) throw failure;
      return { seen: seen.value, gone: [...this.used] };
    }
  }

  private async look<T>(look: () => T | Promise<T>): Promise<{ readonly seen?: { readonly value: T }; readonly failure?: unknown }> {
    this.missed = new Set();
    this.used = new Set();
    this.isLooking = true;
    try {
      return { seen: { value: await look() } };
    } catch (failure) {
      return { failure };
    } finally {
      this.isLooking = false;
    }
  }

  /** Looks for what was missed. True if there is more to be seen now. */
  private async learn(work: Work | undefined): Promise<boolean> {
    const { execution } = this.debug;
    const home = execution.position;
    if (this.present === undefined || comparePositions(this.present.position, home) !== 0) this.present = { addresses: new Set(), position: home };
    const { present: { addresses: present } } = this;
    const asked = [...this.missed].filter((address) => !this.unknown.has(address) && !present.has(address)).slice(0, MOST_AT_ONCE);
    if (asked.length === 0) return false;
    const shown = execution.blocksAt(asked, home.time);
    let hasLearned = false;
    try {
      for (const address of asked) {
        const search = new GoneSearch(this.debug, home, work);
        const block = shown.get(address);
        const found = block === undefined ? undefined : isLocalAddress(address) ? await search.variable(block) : await search.block(address);
        if (found === undefined) (isLocalAddress(address) ? present : this.unknown).add(address);
        else this.known = [...this.known.filter(({ begin }) => begin !== found.begin), found];
        hasLearned ||= found !== undefined;
      }
    } catch (error) {
      // Given up: it is as if nothing were known.
      if (!(error instanceof Cancelled)) throw error;
      return false;
    } finally {
      if (comparePositions(execution.position, home) !== 0) await execution.seek(home);
    }
    return hasLearned;
  }

  /** A branch is another execution. */
  private forgetOthers(): void {
    if (this.of === this.debug.execution) return;
    this.of = this.debug.execution;
    this.known = [];
    this.unknown = new Set();
    this.present = undefined;
  }
}
