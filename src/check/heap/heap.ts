/**
 * The heap of a checked process. Every block has addresses of its own (machine/views.ts), which die with it: so an
 * access through a pointer that has left its block, or outlived it, faults, and what the block was can still be told.
 * If no rule is about accesses, blocks are where their bytes are, and memory that was freed has to wait before it
 * serves again.
 *
 * What is called *quick* needs no change of mappings and memory, and makes no objects.
 */
import type { AddressSpace } from '../../machine/addressSpace.js';
import type { AllocationFamily } from '../functions.js';
import { type Block, Blocks, type Moment, NONE } from './blocks.js';
import { capacityFor, NOWHERE, type Pages, Storage } from './storage.js';
import { Tags } from './tags.js';

interface Request {
  readonly size: number;
  readonly family: AllocationFamily;
  readonly alignment?: number;
  readonly zeroed?: boolean;
}

/** As glibc gives it out. */
const USUAL_ALIGNMENT = 16;
/** So large are no blocks: what asks for more gets none. */
const LARGEST = 0x7000_0000;
/** Bytes that were freed and wait, if their addresses serve again. */
const WAITING_BYTES = 8 << 20;

export class Heap {
  readonly blocks: Blocks;
  private readonly storage: Storage;
  private readonly tags: Tags | undefined;
  /** What is looked for, time and again. */
  private readonly candidate = { begin: 0, size: 0, real: 0 };

  constructor(
    private readonly space: AddressSpace,
    pages: Pages,
    /** Whether blocks get addresses of their own. */
    readonly hasViews = true,
    origin?: Heap,
    order?: 'up' | 'down',
  ) {
    this.blocks = new Blocks(hasViews ? (address) => space.viewBeginNear(address) : undefined, origin?.blocks);
    this.storage = new Storage(pages, hasViews ? 0 : WAITING_BYTES, origin?.storage, order);
    this.tags = hasViews ? new Tags(origin?.tags) : undefined;
  }

  /** Undefined: there is no memory. */
  allocate(request: Request, moment: Moment): Block | undefined {
    const { size, alignment = USUAL_ALIGNMENT } = request;
    if (!(size < LARGEST && alignment < LARGEST)) return undefined;
    const extra = alignment > USUAL_ALIGNMENT ? alignment : 0;
    const piece = this.storage.take(size + extra);
    if (piece === undefined) return undefined;
    const real = extra === 0 ? piece.address : Math.ceil(piece.address / alignment) * alignment;
    if (request.zeroed === true && !piece.isFresh) this.space.fillBytes(real, size, 0);
    this.noteFresh(real, size, request.zeroed === true);
    this.blocks.time = moment.time;
    return this.blocks.block(this.show(real, size, real - piece.address, piece.capacity, this.blocks.family(request.family), this.blocks.doer(moment)));
  }

  /** Its row; NONE if it cannot be had quickly. Who does something quickly has said when (`blocks.time`). */
  allocateQuickly(size: number, alignment: number, zeroed: boolean, family: number, by: number): number {
    const extra = alignment > USUAL_ALIGNMENT ? alignment : 0;
    if (!(size >= 0)) return NONE;
    const capacity = capacityFor(size + extra);
    const piece = this.storage.takeQuickly(capacity, zeroed);
    if (piece === NOWHERE) return NONE;
    const real = extra === 0 ? piece : Math.ceil(piece / alignment) * alignment;
    this.noteFresh(real, size, zeroed);
    return this.show(real, size, real - piece, capacity, family, by);
  }

  /** Whether mapped memory is part of the heap. */
  owns(address: number): boolean {
    return this.storage.owns(address);
  }

  free(block: Block, moment: Moment): void {
    this.blocks.time = moment.time;
    this.freeRow(this.blocks.rowAt(block.begin), this.blocks.doer(moment));
  }

  /** Whether that takes no change of mappings. */
  canFreeQuickly(row: number): boolean {
    return this.storage.isSmall(this.blocks.rows.capacity(row));
  }

  freeRow(row: number, by: number): void {
    const { rows } = this.blocks;
    const [address, capacity] = [rows.pieceAddress(row), rows.capacity(row)];
    this.hide(row, by);
    this.storage.give(address, capacity);
  }

  /** A block of another size with the same contents; the old one is gone, although its memory may serve again. */
  resize(block: Block, size: number, moment: Moment): Block | undefined {
    const row = this.blocks.rowAt(block.begin);
    const by = this.blocks.doer(moment);
    this.blocks.time = moment.time;
    const resized = this.resizeQuickly(row, size, by);
    if (resized !== NONE) return this.blocks.block(resized);
    const made = this.allocate({ size, family: block.family }, moment);
    if (made === undefined) return undefined;
    const common = Math.min(size, block.size);
    if (common > 0) this.space.write(made.real, this.space.read(block.real, common));
    this.space.unwritten?.copy(made.real, block.real, common);
    this.freeRow(row, by);
    return made;
  }

  /** The same, if it can stay where it is; otherwise NONE. */
  resizeQuickly(row: number, size: number, by: number): number {
    const { rows } = this.blocks;
    const [real, family] = [rows.real(row), rows.family(row)];
    const [piece, capacity] = [rows.pieceAddress(row), rows.capacity(row)];
    if (real + size > piece + capacity) return NONE;
    const before = rows.size(row);
    if (size > before) this.space.unwritten?.add(real + before, size - before);
    this.hide(row, by);
    return this.show(real, size, real - piece, capacity, family, by);
  }

  /** What has been given out is unwritten, unless it is zero. */
  private noteFresh(real: number, size: number, zeroed: boolean): void {
    if (zeroed) this.space.unwritten?.remove(real, size);
    else this.space.unwritten?.add(real, size);
  }

  private show(real: number, size: number, inset: number, capacity: number, family: number, by: number): number {
    const begin = this.tags === undefined ? real : this.addressFor(this.tags, real, size);
    return this.blocks.add(begin, size, real, inset, capacity, family, by);
  }

  private addressFor(tags: Tags, real: number, size: number): number {
    const { candidate, space } = this;
    candidate.size = size;
    candidate.real = real;
    let turn = tags.firstTurn(real, size);
    do candidate.begin = tags.address(real, turn++);
    while (!space.tryView(candidate));
    tags.give(real, size, turn);
    return candidate.begin;
  }

  private hide(row: number, by: number): void {
    if (this.hasViews) this.space.removeView(this.blocks.rows.begin(row));
    this.blocks.bury(row, by);
  }
}
