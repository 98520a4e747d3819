/**
 * Translated code: bytecode of every block seen, by guest address, and which of them are on which
 * guest page, so that a write to code takes the right ones away. Owns the bytecode area and the
 * block table of linear memory.
 */
import { assert } from '../base/assert.js';
import { BYTECODE_BASE, BYTECODE_END } from '../layout/memoryMap.js';
import type { Block } from '../ir/ir.js';
import { CONTROL, ENTER_LAYOUT } from '../jit/bytecode.js';
import { BytecodeEncoder, ConstantPool } from '../jit/bytecodeEncoder.js';
import { ENTRY_LAYOUT, entryOffset } from '../jit/blockTable.js';
import { BlockIndex, type BlockKind, type CachedBlock } from './blockIndex.js';
import type { LinearMemory } from './linearMemory.js';
import type { Translation } from './knownCode/translationLibrary.js';

export type { CachedBlock } from './blockIndex.js';

const TWO_32 = 0x1_0000_0000;
/** Bytes of the block table that are cleared together. */
const STRETCH = 4096;

/** More executions than there will be. */
const NEVER_HOT = 0x7fff_ffff;

export class CodeCache {
  private readonly index: BlockIndex;
  /** Which stretches of the block table have been in use. */
  private readonly usedStretches = new Set<number>();
  private encoder: BytecodeEncoder;
  private recording = false;
  private nextPool = (): ConstantPool => new ConstantPool();
  private top = BYTECODE_BASE;
  /** Everything below is in use by blocks that were dropped or live. */
  blocksTranslated = 0;

  /**
   * A block is reported as hot after `hotThreshold` executions in the interpreter. With `origin`: starts as a copy of
   * it.
   */
  constructor(
    private readonly linear: LinearMemory,
    private readonly hotThreshold: number,
    origin?: CodeCache,
    pool = new ConstantPool(),
  ) {
    this.encoder = new BytecodeEncoder(linear, origin?.encoder.constants ?? pool);
    this.index = origin?.index.fork(origin.top) ?? new BlockIndex();
    if (origin !== undefined) this.copyBytecode(origin);
  }

  get(address: number): CachedBlock | undefined {
    return this.index.get(address);
  }

  /**
   * Whether the block table has a block at this address: quicker than `get`, but one that was displaced is not found.
   */
  isInTable(address: number): boolean {
    const { u32 } = this.linear;
    const entry = entryOffset(address) >>> 2;
    return u32[entry] === address % TWO_32 && u32[entry + 1] === Math.floor(address / TWO_32) && u32[entry + ENTRY_LAYOUT.bytecode / 4] !== 0;
  }

  single(address: number): CachedBlock | undefined {
    return this.index.single(address);
  }

  /** True if there is no room for a block of this size: flush() and try again. */
  isFull(block: Block): boolean {
    return this.top + BytecodeEncoder.bound(block) > BYTECODE_END;
  }

  /**
   * Makes the block executable by the interpreter. A `single` (one instruction, for stepping) is kept
   * apart; a `transient` block is in no table and must be released.
   */
  add(block: Block, kind: BlockKind = 'block'): CachedBlock {
    assert(!this.isFull(block), 'bytecode area is full');
    const bytecode = this.top;
    const { end, map } = this.encoder.encode(block, bytecode);
    const cached: CachedBlock = {
      start: block.start, next: block.next, instructions: block.instructions, bytecode, bytecodeEnd: end, map, compiled: 0, copies: 0, reports: 0,
    };
    this.top = end;
    if (kind === 'block') this.blocksTranslated++;
    this.setExecutionsLeft(cached, kind === 'block' ? this.hotThreshold : NEVER_HOT);
    this.index.add(cached, kind);
    if (kind === 'block') this.install(cached);
    return cached;
  }

  /** What could serve other processes of the block added last. */
  translationOf(block: CachedBlock): Translation {
    const { start, next, instructions, map, bytecode, bytecodeEnd } = block;
    return { start, next, instructions, map, bytecode: this.linear.u8.subarray(bytecode, bytecodeEnd), constants: this.encoder.constantUses, pool: this.encoder.constants };
  }

  /** From now on blocks that are added can be had as translations. `pool` is for the time after a flush. */
  recordTranslations(pool: () => ConstantPool): void {
    this.nextPool = pool;
    this.recording = true;
    this.encoder.recordUses();
  }

  /** Makes a block executable that another process has translated. False if there is no room. */
  takeOver(translation: Translation): boolean {
    const { start, next, instructions, map } = translation;
    const bytecode = this.top;
    const bytecodeEnd = bytecode + translation.bytecode.length;
    if (bytecodeEnd > BYTECODE_END) return false;
    this.linear.u8.set(translation.bytecode, bytecode);
    if (!this.encoder.fillIn(bytecode, translation.constants, translation.pool)) return false;
    const cached: CachedBlock = { start, next, instructions, bytecode, bytecodeEnd, map, compiled: 0, copies: 0, reports: 0 };
    this.top = bytecodeEnd;
    this.setExecutionsLeft(cached, this.hotThreshold);
    this.index.add(cached, 'block');
    this.install(cached);
    return true;
  }

  /** Gives back the bytecode of a transient block, if nothing has come after it. */
  release(transient: CachedBlock): void {
    if (this.index.removeLast(transient)) this.top = transient.bytecode;
  }

  /** Enters the block in the block table, where another may have displaced it. */
  install(block: CachedBlock): void {
    const { view } = this.linear;
    const entry = entryOffset(block.start);
    this.usedStretches.add(Math.floor(entry / STRETCH));
    view.setBigUint64(entry + ENTRY_LAYOUT.address, BigInt(block.start), true);
    view.setUint32(entry + ENTRY_LAYOUT.compiled, block.compiled, true);
    view.setUint32(entry + ENTRY_LAYOUT.bytecode, block.bytecode, true);
  }

  /** From now on the block is entered in compiled code where `word` says (0: interpreted again). */
  setCompiled(block: CachedBlock, word: number): void {
    block.compiled = word;
    this.linear.view.setUint32(block.bytecode, word === 0 ? CONTROL.ENTER : CONTROL.ENTER_COMPILED, true);
    this.install(block);
  }

  isAfterCall(block: CachedBlock): boolean {
    return this.linear.view.getInt32(block.bytecode + ENTER_LAYOUT.afterCall, true) !== 0;
  }

  /** A call comes right before it. */
  markAfterCall(block: CachedBlock): void {
    this.linear.view.setInt32(block.bytecode + ENTER_LAYOUT.afterCall, 1, true);
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
    // The report itself is no execution: with 1 it would be made again and again.
    this.setExecutionsLeft(block, Math.max(this.hotThreshold, 2));
  }

  /** Executions until it is reported as hot. */
  setExecutionsLeft(block: CachedBlock, count: number): void {
    this.linear.view.setInt32(block.bytecode + ENTER_LAYOUT.counter, count, true);
  }

  /** Drops the blocks that lie on a page. */
  invalidatePage(page: number): void {
    this.retire(this.index.removePage(page));
  }

  /** Drops the blocks that contain an address, begin or end there. */
  dropAround(address: number): void {
    this.retire(this.index.removeAround(address));
  }

  /** The block whose bytecode contains a linear offset. */
  findByPc(pc: number): CachedBlock {
    return this.index.findByPc(pc);
  }

  /** Forgets everything. */
  flush(): void {
    for (const stretch of this.usedStretches) this.linear.u8.fill(0, stretch * STRETCH, (stretch + 1) * STRETCH);
    this.usedStretches.clear();
    this.index.clear();
    this.top = BYTECODE_BASE;
    this.encoder = new BytecodeEncoder(this.linear, this.nextPool());
    if (this.recording) this.encoder.recordUses();
  }

  /** The block table is filled as blocks are asked for. */
  private copyBytecode(origin: CodeCache): void {
    this.top = origin.top;
    this.linear.u8.set(origin.linear.u8.subarray(BYTECODE_BASE, origin.top), BYTECODE_BASE);
  }

  /** Code that still has a link to one of these blocks will look its address up again. */
  private retire(blocks: readonly CachedBlock[]): void {
    for (const block of blocks) {
      this.linear.view.setUint32(block.bytecode, CONTROL.ENTER_STALE, true);
      this.clearEntry(block);
    }
  }

  private clearEntry(block: CachedBlock): void {
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
