/**
 * The heap of a checked process. Every block has addresses of its own (machine/views.ts), which die with it: so an access through a pointer
 * that has left its block, or outlived it, faults, and what the block was can still be told.
 */
import type { AddressSpace } from '../../machine/addressSpace.js';
import type { AllocationFamily } from '../functions.js';
import { type Block, Blocks, type Moment } from './blocks.js';
import { type Pages, type Piece, Storage } from './storage.js';
import { Tags } from './tags.js';

export interface Request {
  readonly size: number;
  readonly family: AllocationFamily;
  readonly alignment?: number;
  readonly zeroed?: boolean;
}

/** As glibc gives it out. */
const USUAL_ALIGNMENT = 16;
/** So large are no blocks: what asks for more gets none. */
const LARGEST = 0x7000_0000;

export class Heap {
  readonly blocks: Blocks;
  private readonly storage: Storage;
  private readonly tags: Tags;

  constructor(
    private readonly space: AddressSpace,
    pages: Pages,
    origin?: Heap,
  ) {
    this.blocks = new Blocks(origin?.blocks);
    this.storage = new Storage(pages, origin?.storage);
    this.tags = new Tags(origin?.tags);
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
    return this.show(real, size, piece, request.family, moment);
  }

  /** Whether it can be allocated without a change of mappings and memory. */
  canAllocateQuickly({ size, zeroed = false }: Request): boolean {
    return size >= 0 && this.storage.hasAtHand(size, zeroed);
  }

  /** The same for freeing, and for another size where it is. */
  canFreeQuickly({ piece }: Block): boolean {
    return this.storage.isSmall(piece.capacity);
  }

  canResizeQuickly({ real, piece }: Block, size: number): boolean {
    return size > 0 && real + size <= piece.address + piece.capacity;
  }

  /** Whether mapped memory is part of the heap. */
  owns(address: number): boolean {
    return this.storage.owns(address);
  }

  free(block: Block, moment: Moment): void {
    this.hide(block, moment);
    this.storage.give(block.piece.address, block.piece.capacity);
  }

  /** A block of another size with the same contents; the old one is gone, although its memory may serve again. */
  resize(block: Block, size: number, moment: Moment): Block | undefined {
    if (block.real + size <= block.piece.address + block.piece.capacity) {
      this.hide(block, moment);
      return this.show(block.real, size, block.piece, block.family, moment);
    }
    const made = this.allocate({ size, family: block.family }, moment);
    if (made === undefined) return undefined;
    const common = Math.min(size, block.size);
    if (common > 0) this.space.write(made.real, this.space.read(block.real, common));
    this.free(block, moment);
    return made;
  }

  private show(real: number, size: number, piece: Pick<Piece, 'address' | 'capacity'>, family: AllocationFamily, allocated: Moment): Block {
    const begin = this.tags.addressFor(real, size, (address) => !this.space.hasRoomForView({ begin: address, size, real }));
    const block: Block = { id: this.blocks.nextId, begin, size, family, allocated, real, piece, freed: undefined };
    this.space.addView(block);
    this.blocks.add(block);
    return block;
  }

  private hide(block: Block, moment: Moment): void {
    this.space.removeView(block.begin);
    this.blocks.bury(block, moment);
  }
}
