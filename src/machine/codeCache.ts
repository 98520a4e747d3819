/**
 * Translated code: bytecode of every block seen, by guest address, and which of them are on which
 * guest page, so that a write to code takes the right ones away. Owns the bytecode area and the
 * block table of linear memory.
 */
import { assert } from '../base/assert.js';
import { PAGE_SIZE, pageFloor } from '../base/types.js';
import { BYTECODE_BASE, BYTECODE_END } from '../layout/memoryMap.js';
import type { Block } from '../ir/ir.js';
import { CONTROL, ENTER_LAYOUT } from '../jit/bytecode.js';
import { BytecodeEncoder, type BytecodeMap, ConstantPool } from '../jit/bytecodeEncoder.js';
import { ENTRY_LAYOUT, entryOffset } from '../jit/blockTable.js';
import type { LinearMemory } from './linearMemory.js';

export interface CachedBlock {
  readonly start: number;
  readonly next: number;
  readonly instructions: number;
  /** Linear offset of the bytecode. */
  readonly bytecode: number;
  readonly bytecodeEnd: number;
  readonly map: BytecodeMap;
  /** Index in the table of compiled regions, 0 if only interpreted. */
  compiled: number;
  /** Compiled regions that contain it. */
  copies: number;
  /** How often it was reported as hot. */
  reports: number;
  /** Whether it has been in the block table. */
  installed: boolean;
}

/** More executions than there will be. */
const NEVER_HOT = 0x7fff_ffff;

export class CodeCache {
  private readonly blocks = new Map<number, CachedBlock>();
  private readonly singles = new Map<number, CachedBlock>();
  /** Blocks in the order of their bytecode, for finding one by pc. */
  private readonly ordered: CachedBlock[] = [];
  private readonly byPage = new Map<number, CachedBlock[]>();
  private encoder: BytecodeEncoder;
  private top = BYTECODE_BASE;
  /** Everything below is in use by blocks that were dropped or live. */
  blocksTranslated = 0;

  /** A block is reported as hot after `hotThreshold` executions in the interpreter. With `origin`: starts as a copy of it. */
  constructor(
    private readonly linear: LinearMemory,
    private readonly hotThreshold: number,
    origin?: CodeCache,
  ) {
    this.encoder = new BytecodeEncoder(linear, origin?.encoder.constants ?? new ConstantPool());
    if (origin !== undefined) this.copyFrom(origin);
  }

  get(address: number): CachedBlock | undefined {
    return this.blocks.get(address);
  }

  single(address: number): CachedBlock | undefined {
    return this.singles.get(address);
  }

  /** True if there is no room for a block of this size: flush() and try again. */
  isFull(block: Block): boolean {
    return this.top + BytecodeEncoder.bound(block) > BYTECODE_END;
  }

  /**
   * Makes the block executable by the interpreter. A `single` (one instruction, for stepping) is kept
   * apart; a `transient` block is in no table and must be released.
   */
  add(block: Block, kind: 'block' | 'single' | 'transient' = 'block'): CachedBlock {
    assert(!this.isFull(block), 'bytecode area is full');
    const bytecode = this.top;
    const { end, map } = this.encoder.encode(block, bytecode);
    const cached: CachedBlock = {
      start: block.start, next: block.next, instructions: block.instructions, bytecode, bytecodeEnd: end, map, compiled: 0, copies: 0, reports: 0, installed: false,
    };
    this.top = end;
    if (kind === 'block') this.blocksTranslated++;
    this.setExecutionsLeft(cached, kind === 'block' ? this.hotThreshold : NEVER_HOT);
    this.ordered.push(cached);
    if (kind !== 'transient') {
      this.enter(cached, kind === 'block' ? this.blocks : this.singles);
      if (kind === 'block') this.install(cached);
    }
    return cached;
  }

  /** Gives back the bytecode of a transient block, if nothing has come after it. */
  release(transient: CachedBlock): void {
    if (this.ordered.at(-1) !== transient) return;
    this.ordered.pop();
    this.top = transient.bytecode;
  }

  /** Enters the block in the block table, where another may have displaced it. */
  install(block: CachedBlock): void {
    const { view } = this.linear;
    const entry = entryOffset(block.start);
    block.installed = true;
    view.setBigUint64(entry + ENTRY_LAYOUT.address, BigInt(block.start), true);
    view.setUint32(entry + ENTRY_LAYOUT.compiled, block.compiled, true);
    view.setUint32(entry + ENTRY_LAYOUT.bytecode, block.bytecode, true);
  }

  /** From now on the block is entered at compiled region `index` (0: interpreted again). */
  setCompiled(block: CachedBlock, index: number): void {
    block.compiled = index;
    this.linear.view.setUint32(block.bytecode, index === 0 ? CONTROL.ENTER : CONTROL.ENTER_COMPILED, true);
    this.install(block);
  }

  /** Whether it has run at least one in `share` times of what makes it hot. */
  isWarm(block: CachedBlock, share: number): boolean {
    if (block.reports > 0) return true;
    const left = this.linear.view.getInt32(block.bytecode + ENTER_LAYOUT.counter, true);
    return (this.hotThreshold - left) * share >= this.hotThreshold;
  }

  /** It has just been reported as hot; it will be again after as many executions. */
  reported(block: CachedBlock): void {
    block.reports++;
    this.setExecutionsLeft(block, this.hotThreshold);
  }

  /** Executions until it is reported as hot. */
  setExecutionsLeft(block: CachedBlock, count: number): void {
    this.linear.view.setInt32(block.bytecode + ENTER_LAYOUT.counter, count, true);
  }

  /** Drops the blocks that lie on a page. Returns them. */
  invalidatePage(page: number): readonly CachedBlock[] {
    const list = this.byPage.get(page);
    if (list === undefined) return [];
    this.byPage.delete(page);
    for (const block of list) this.drop(block);
    return list;
  }

  /** The block whose bytecode contains a linear offset. */
  findByPc(pc: number): CachedBlock {
    let low = 0;
    let high = this.ordered.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.ordered[middle] as CachedBlock).bytecode <= pc) low = middle;
      else high = middle - 1;
    }
    const block = this.ordered[low];
    assert(block !== undefined && pc >= block.bytecode && pc < block.bytecodeEnd, `no block at bytecode offset ${pc}`);
    return block;
  }

  /** Forgets everything. */
  flush(): void {
    for (const block of this.blocks.values()) this.clearEntry(block);
    this.blocks.clear();
    this.singles.clear();
    this.byPage.clear();
    this.ordered.length = 0;
    this.top = BYTECODE_BASE;
    this.encoder = new BytecodeEncoder(this.linear, new ConstantPool());
  }

  /**
   * Takes over all code of another memory, at the same offsets. The block table is filled as blocks
   * are asked for: most copies are of processes that soon end or run another program.
   */
  private copyFrom(origin: CodeCache): void {
    this.top = origin.top;
    this.linear.u8.set(origin.linear.u8.subarray(BYTECODE_BASE, origin.top), BYTECODE_BASE);
    for (const theirs of origin.ordered) {
      const block = { ...theirs, installed: false };
      this.ordered.push(block);
      if (origin.blocks.get(block.start) === theirs) this.enter(block, this.blocks);
      else if (origin.singles.get(block.start) === theirs) this.enter(block, this.singles);
    }
  }

  private enter(block: CachedBlock, table: Map<number, CachedBlock>): void {
    table.set(block.start, block);
    for (let page = pageFloor(block.start); page < Math.max(block.next, block.start + 1); page += PAGE_SIZE) {
      const list = this.byPage.get(page);
      if (list === undefined) this.byPage.set(page, [block]);
      else list.push(block);
    }
  }

  private drop(block: CachedBlock): void {
    for (const table of [this.blocks, this.singles]) if (table.get(block.start) === block) table.delete(block.start);
    this.linear.view.setUint32(block.bytecode, CONTROL.ENTER_STALE, true);
    this.clearEntry(block);
    block.compiled = 0;
  }

  private clearEntry(block: CachedBlock): void {
    if (!block.installed) return;
    const { view } = this.linear;
    const entry = entryOffset(block.start);
    if (view.getBigUint64(entry + ENTRY_LAYOUT.address, true) !== BigInt(block.start)) return;
    view.setBigUint64(entry + ENTRY_LAYOUT.address, 0n, true);
    view.setUint32(entry + ENTRY_LAYOUT.compiled, 0, true);
    view.setUint32(entry + ENTRY_LAYOUT.bytecode, 0, true);
  }
}

/** Index of the instruction that contains bytecode offset `pc` of the block, and its guest address. */
export function instructionAt(block: CachedBlock, pc: number): { index: number; address: number } {
  const offset = pc - block.bytecode;
  let index = 0;
  while (index + 1 < block.map.offsets.length && (block.map.offsets[index + 1] as number) <= offset) index++;
  return { index, address: block.map.addresses[index] as number };
}
