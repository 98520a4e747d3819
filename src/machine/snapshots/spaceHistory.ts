/**
 * Snapshots of an address space: what is mapped, what its pages are and what they hold. Taking one
 * costs as much as was written since the last one, going to another one as much as differs.
 *
 * `base` is the snapshot that was taken or restored last, and `changed` the pages that may differ from it
 * now. A page that holds what `base` has of it is KEPT and closed for writing; the first write to it opens it
 * and puts it on the list. What was opened together with it is compared, not copied.
 *
 * Translated code is no part of a snapshot. It survives a restore where the page has the same bytes
 * afterwards, and is dropped (onCodeWrite) where it has not.
 */
import { assert } from '../../base/assert.js';
import { PAGE_SIZE, guestAddr } from '../../base/types.js';
import { GUEST_BASE } from '../../layout/memoryMap.js';
import type { AddressSpace } from '../addressSpace.js';
import type { MappingState } from '../addressSpaceMappings.js';
import { PAGE, holdsData, pageAddress } from '../pages.js';
import { ChangedPages } from './changedPages.js';
import { isFileMapping, readFilePages } from './filePages.js';
import { ZEROS, isSamePage, isZero, type PageRef, type PageStore } from './pageStore.js';
import { PageTable, TableBuilder, pageState, stateBits, stateHigh } from './pageTable.js';

export interface SpaceSnapshot {
  readonly table: PageTable;
  readonly mapped: MappingState;
  readonly stackLimit: number;
  readonly peakResidentPages: number;
}

/** Bits that a snapshot knows; DIRTY there means that the page holds data. */
const RECORDED = PAGE.PROT | PAGE.CLAIMED | PAGE.ABSENT | PAGE.WRITTEN | PAGE.EXACT;

export class SpaceHistory {
  private readonly changed = new ChangedPages();
  private base: PageTable;
  private mapped: MappingState | undefined;
  private readonly filePage = new Uint8Array(PAGE_SIZE);

  /** `similar`: a snapshot of another space that has much in common with this one, e.g. that of which it is a copy. */
  constructor(
    private readonly space: AddressSpace,
    private readonly store: PageStore,
    similar?: SpaceSnapshot,
  ) {
    const { pages } = space;
    assert(pages.changes === undefined, 'an address space has one history');
    this.base = similar?.table.retain() ?? new PageTable(store);
    this.base.forEachDifference(new PageTable(store), (index) => this.changed.note(index));
    pages.forEachUsed((index, bits) => {
      if ((bits & PAGE.CLAIMED) !== 0) this.changed.note(index);
    });
    pages.changes = this.changed;
  }

  /** No more snapshots will be taken. Those taken stay until they are released. */
  dispose(): void {
    const { pages } = this.space;
    pages.changes = undefined;
    pages.forEachUsed((index, bits) => {
      if ((bits & PAGE.KEPT) !== 0) pages.setKept(index, false);
    });
    this.base.release();
    this.base = new PageTable(this.store);
  }

  /** The state of all pages and mappings now. */
  capture(): SpaceSnapshot {
    const { space } = this;
    const builder = new TableBuilder(this.base);
    this.changed.forEach((index) => this.capturePage(index, builder));
    this.mapped = space.mappingState(this.mapped);
    this.rebase(builder.finish());
    return { table: this.base.retain(), mapped: this.mapped, stackLimit: space.stackLimit, peakResidentPages: space.pages.peakResidentPages };
  }

  /**
   * Makes the address space what it was then. The snapshot may be of any history with the same store. Files that are
   * mapped must have their contents of then already: translations of pages that are absent there survive if the file
   * has the same bytes.
   */
  restore(snapshot: SpaceSnapshot): void {
    const { space } = this;
    const { table } = snapshot;
    assert(table.isAlive && table.store === this.store, 'a snapshot that was not released');
    space.restoreMappingState(snapshot.mapped);
    this.base.forEachDifference(table, (index) => this.changed.note(index));
    this.changed.forEach((index) => this.restorePage(index, table));
    space.stackLimit = snapshot.stackLimit;
    space.pages.resetPeak(snapshot.peakResidentPages);
    this.mapped = snapshot.mapped;
    this.rebase(table.retain());
  }

  /** The snapshot is no more needed. */
  release(snapshot: SpaceSnapshot): void {
    snapshot.table.release();
  }

  private rebase(table: PageTable): void {
    this.base.release();
    this.base = table;
    this.changed.clear();
  }

  private capturePage(index: number, builder: TableBuilder): void {
    const { base, space: { pages } } = this;
    const bits = pages.bitsOf(index);
    const claimed = (bits & PAGE.CLAIMED) !== 0;
    const holds = holdsData(bits) === 1;
    const state = claimed ? pageState((bits & RECORDED) | (holds ? PAGE.DIRTY : 0), pages.highOf(index)) : 0;
    const known = base.contents(index);
    const contents = !holds ? ZEROS : (bits & PAGE.KEPT) !== 0 ? known : this.contentsNow(index, known);
    if (state !== base.state(index) || contents !== known) {
      if (contents === known) this.store.retain(known);
      builder.set(index, state, contents);
    }
    if (holds && (bits & PAGE.KEPT) === 0) pages.setKept(index, true);
  }

  /** What the page holds, as a reference: `known` if that is it, otherwise one that is retained. */
  private contentsNow(index: number, known: PageRef): PageRef {
    const { u8, u64 } = this.space.linear;
    const offset = offsetOf(index);
    if (this.store.isEqual(known, u64, offset / 8)) return known;
    return isZero(u64, offset / 8) ? ZEROS : this.store.add(u8, offset);
  }

  private restorePage(index: number, table: PageTable): void {
    const { pages } = this.space;
    const state = table.state(index);
    const [bits, high] = [stateBits(state), stateHigh(state)];
    const claimed = (bits & PAGE.CLAIMED) !== 0;
    if (!claimed || high !== pages.highOf(index)) this.giveBack(index);
    if (!claimed) return;
    const [before, holds] = [pages.bitsOf(index), (bits & PAGE.DIRTY) !== 0];
    const sameBytes = holds ? this.restoreContents(index, table.contents(index)) : (bits & PAGE.ABSENT) !== 0;
    const leftover = (before & PAGE.DIRTY) === 0 ? 0 : (bits & PAGE.ABSENT) !== 0 ? PAGE.DIRTY : PAGE.DIRTY | PAGE.STALE;
    pages.put(index, bits | (before & PAGE.TRANSLATED) | (holds ? PAGE.KEPT : leftover), high);
    if ((before & PAGE.TRANSLATED) === 0) return;
    const codeIsSame = sameBytes && (bits & PAGE.EXEC) !== 0 && (holds || this.hasBytesOfFile(index));
    if (!codeIsSame) this.dropCode(index);
  }

  /** Takes a linear page from the guest page that has it now. */
  private giveBack(index: number): void {
    const { pages } = this.space;
    this.dropCode(index);
    pages.put(index, pages.bitsOf(index) & PAGE.DIRTY, pages.highOf(index));
  }

  /** False if there were other bytes before. */
  private restoreContents(index: number, contents: PageRef): boolean {
    const { linear: { u8, u64 }, pages } = this.space;
    const bits = pages.bitsOf(index);
    if ((bits & PAGE.KEPT) !== 0 && contents === this.base.contents(index)) return true;
    const offset = offsetOf(index);
    const isSame = (bits & PAGE.DIRTY) === 0 ? contents === ZEROS : this.store.isEqual(contents, u64, offset / 8);
    if (!isSame) this.store.copyTo(contents, u8, offset);
    return isSame;
  }

  /** Whether an absent page would get the bytes that still lie in its place when it is loaded. */
  private hasBytesOfFile(index: number): boolean {
    const { space } = this;
    const page = pageAddress(index, space.pages.highOf(index));
    const m = space.find(page);
    if (!isFileMapping(m) || readFilePages(m, page, this.filePage) === 0) return false;
    return isSamePage(new BigUint64Array(this.filePage.buffer), 0, space.linear.u64, offsetOf(index) / 8);
  }

  private dropCode(index: number): void {
    const { pages } = this.space;
    const [bits, high] = [pages.bitsOf(index), pages.highOf(index)];
    if ((bits & PAGE.TRANSLATED) === 0) return;
    pages.put(index, bits & ~PAGE.TRANSLATED, high);
    this.space.onCodeWrite(guestAddr(pageAddress(index, high)));
  }
}

function offsetOf(index: number): number {
  return GUEST_BASE + index * PAGE_SIZE;
}
