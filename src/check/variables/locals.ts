/**
 * Variables on stacks as blocks. Where a function takes the address of one, it gets that of a view (machine/views.ts)
 * that shows nothing but the variable; when the function returns, the view is gone. So a pointer that leaves its
 * variable, or outlives it, faults as one into the heap does, in whatever function it is used. The function itself goes
 * on to use real addresses.
 */
import { PAGE_SIZE } from '../../base/types.js';
import { GUEST_SPACE_SIZE } from '../../layout/memoryMap.js';
import type { AddressSpace } from '../../machine/addressSpace.js';
import type { HookAnswer } from '../../machine/hooks.js';
import { PageMap } from '../../machine/pageMap.js';
import { isLocalAddress, isViewAddress, LOCAL_TAGS } from '../../layout/viewAddresses.js';
import type { Block, Moment } from '../heap/blocks.js';
import type { FrameSlot } from './frameSlots.js';
import type { AllocationSite } from './pointerSites.js';
import type { VariableSites } from './variableSites.js';

/** Numbers of blocks on the heap are below. */
const FIRST_ID = 2 ** 40;
/**
 * After so many a variable's view stays when its function returns: a function that is called so often should not have
 * to pay for it.
 */
const MANY = 2000;
/** What an array without a fixed size is called, or what alloca has returned. */
const ON_STACK = 'memory on the stack';
/** How far from a variable, in pages, an address may be that is said to belong to it. */
const FAR_PAGES = 16;

interface Site {
  readonly slot: FrameSlot;
  readonly frames: SlotFrames;
}

/** Blocks of a slot, by where they are. */
interface SlotFrames {
  readonly live: Map<number, Block>;
  count: number;
}

interface AllocationFrames {
  readonly site: AllocationSite;
  readonly frames: SlotFrames;
}

/** What a function has shown. */
interface Frame {
  readonly function: string;
  readonly shown: { readonly block: Block; readonly among: SlotFrames }[];
}

/** What a function is about to have on its stack. */
interface Room {
  readonly stack: number;
  /** How far the stack pointer has been moved for it. */
  readonly bytes: number;
  /** What has been asked for, and what goes with it so that it can be rounded. */
  readonly wanted: number;
}

/** Added to what is asked for, to be rounded up. */
const ROUNDING = 15;
/** What the stack is aligned to without more ado, as far as the compiler is concerned. */
const STACK_ALIGNMENT = 8;

export class Locals {
  private readonly sites = new Map<number, Site>();
  private readonly allocations = new Map<number, AllocationFrames>();
  /** What functions are going to make room for, by rbp. */
  private readonly measured = new Map<number, Room>();
  /** Where functions with such variables return. */
  readonly returns: Set<number>;
  /** What functions have, by rbp. */
  private readonly frames = new Map<number, Frame>();
  /** By page of the view: the last that was there. */
  private readonly byPage = new PageMap<Block>();
  private readonly byId = new Map<number, Block>();
  private readonly turns = new Map<number, number>();
  /** Views that are gone without a witness. */
  private hidden: number[] = [];
  private next = FIRST_ID;

  constructor(
    private readonly space: AddressSpace,
    origin?: Locals,
  ) {
    this.returns = new Set(origin?.returns);
    if (origin === undefined) return;
    this.next = origin.next;
    this.hidden = origin.hidden.slice();
    for (const [page, turn] of origin.turns) this.turns.set(page, turn);
    const copies = new Map<Block, Block>();
    // Those that stay when their functions return need not be known by number any more.
    const copyOf = (block: Block): Block => copies.get(block) ?? (copies.set(block, { ...block }).get(block) as Block);
    for (const [id, block] of origin.byId) this.byId.set(id, copyOf(block));
    for (const [page, block] of origin.byPage.entries()) this.byPage.set(page, copyOf(block));
    const slots = new Map([...origin.sites.values()].map(({ frames }) => [frames, { count: frames.count, live: new Map([...frames.live].map(([real, block]) => [real, copyOf(block)])) }]));
    for (const [at, { slot, frames }] of origin.sites) this.sites.set(at, { slot, frames: slots.get(frames) as SlotFrames });
    for (const [at, { site, frames }] of origin.allocations) {
      const own = { count: frames.count, live: new Map([...frames.live].map(([real, block]) => [real, copyOf(block)])) };
      slots.set(frames, own);
      this.allocations.set(at, { site, frames: own });
    }
    for (const [frame, left] of origin.frames) {
      this.frames.set(frame, { function: left.function, shown: left.shown.map(({ block, among }) => ({ block: copyOf(block), among: slots.get(among) as SlotFrames })) });
    }
  }

  add({ pointers, allocations, returns }: Pick<VariableSites, 'pointers' | 'allocations' | 'returns'>): void {
    for (const [at, site] of allocations) this.allocations.set(at, { site, frames: { live: new Map(), count: 0 } });
    const frames = new Map<FrameSlot, SlotFrames>();
    for (const [at, { slot }] of pointers) {
      const own = frames.get(slot) ?? { live: new Map<number, Block>(), count: 0 };
      frames.set(slot, own);
      this.sites.set(at, { slot, frames: own });
    }
    for (const at of returns) this.returns.add(at);
  }

  /** Whether there are any to watch. */
  get any(): boolean {
    return this.sites.size + this.allocations.size > 0;
  }

  /** The upper part (above bit 31) of a pointer that is made there; undefined if it is what it is. */
  point(at: number, frame: number, moment: () => Moment): number | undefined {
    const site = this.sites.get(at);
    const real = site === undefined ? 0 : frame + site.slot.offset;
    if (site === undefined || isViewAddress(frame) || Math.floor(real / GUEST_SPACE_SIZE) !== Math.floor(frame / GUEST_SPACE_SIZE)) return undefined;
    const known = this.frames.get(frame);
    if (known !== undefined && known.function !== site.slot.function) this.leave(frame);
    const block = site.frames.live.get(real) ?? this.show(site, real, frame, moment());
    return block && Math.floor(block.begin / GUEST_SPACE_SIZE);
  }

  allocatesAt(at: number): boolean {
    return this.allocations.has(at);
  }

  /**
   * The upper part of a pointer to what a function has made room for; undefined also if it is going to. What was there
   * before is gone.
   */
  allocate(at: number, frame: number, room: Room, moment: () => Moment): number | undefined {
    const found = this.allocations.get(at);
    if (found?.site.step === 'measure') this.measured.set(frame, room);
    const measured = found?.site.step === 'take' ? room : found?.site.step === 'take measured' ? this.measured.get(frame) : undefined;
    if (found === undefined || measured === undefined) return undefined;
    this.measured.delete(frame);
    return this.take(found, frame, { ...measured, stack: room.stack }, moment);
  }

  private take(found: AllocationFrames, frame: number, { stack, bytes, wanted }: Room, moment: () => Moment): number | undefined {
    if (isViewAddress(frame) || Math.floor(stack / GUEST_SPACE_SIZE) !== Math.floor(frame / GUEST_SPACE_SIZE)) return undefined;
    const { site: { alignment, function: name }, frames } = found;
    const known = this.frames.get(frame);
    if (known !== undefined && known.function !== name) this.leave(frame);
    this.forget(frame, stack + bytes);
    const size = wanted - ROUNDING - Math.max(alignment - STACK_ALIGNMENT, 0);
    if (size <= 0 || size > bytes || frames.count >= MANY) return undefined;
    const offset = Math.ceil(stack / alignment) * alignment - frame;
    const block = this.show({ slot: { function: name, name: ON_STACK, offset, size }, frames }, frame + offset, frame, moment());
    return block && Math.floor(block.begin / GUEST_SPACE_SIZE);
  }

  /** Of what a frame has allocated, all that lies below an address is gone. */
  private forget(frame: number, below: number): void {
    const own = this.frames.get(frame);
    if (own === undefined) return;
    const isGone = ({ block }: Frame['shown'][number]): boolean => block.variable === ON_STACK && block.real < below;
    this.hide(own.shown.filter(isGone));
    this.frames.set(frame, { ...own, shown: own.shown.filter((one) => !isGone(one)) });
  }

  /** The function with that frame has returned. */
  leave(frame: number): void {
    const left = this.frames.get(frame);
    if (left === undefined) return;
    this.frames.delete(frame);
    this.hide(left.shown);
  }

  private hide(shown: Frame['shown']): void {
    for (const { block, among } of shown) {
      this.space.removeView(block.begin);
      this.hidden.push(block.begin);
      this.bury(block);
      among.live.delete(block.real);
    }
  }

  /** Functions with frames between these addresses have been left without returning. */
  landed(from: number, to: number): void {
    for (const frame of [...this.frames.keys()]) if (frame >= from && frame < to) this.leave(frame);
  }

  /** What there is to be remembered of `point`: what has been hidden since the last time, then what it has done. */
  *takeAnswers(tag: number, shown: Block | undefined): Generator<HookAnswer> {
    for (const hidden of this.takeHidden()) yield { result: 0, hidden, shown: undefined };
    yield { result: tag, hidden: undefined, shown };
  }

  takeHidden(): readonly number[] {
    const { hidden } = this;
    this.hidden = [];
    return hidden;
  }

  /** The variable that an address belongs to, or belonged to. */
  of(address: number): Block | undefined {
    if (!isLocalAddress(address)) return undefined;
    const page = pageOf(address);
    for (let distance = 0; distance < FAR_PAGES; distance++) {
      const block = this.byPage.get(page - distance) ?? this.byPage.get(page + distance);
      if (block !== undefined) return block;
    }
    return undefined;
  }

  onPageOf(address: number): Block | undefined {
    return this.byPage.get(pageOf(address));
  }

  numbered(id: number): Block | undefined {
    return this.byId.get(id);
  }

  all(): Iterable<Block> {
    return this.byId.values();
  }

  /** The last block that was shown. */
  shown: Block | undefined;

  private show({ slot, frames }: Site, real: number, frame: number, allocated: Moment): Block | undefined {
    const begin = this.addressFor(real, slot.size);
    if (begin === undefined) return undefined;
    const block: Block = {
      id: this.next++, begin, size: slot.size, family: 'stack', allocated: { ...allocated, by: slot.function }, freed: undefined, real, variable: slot.name,
    };
    this.space.addView(block);
    for (const page of pagesOf(block)) {
      const before = this.byPage.get(page);
      if (before !== undefined) this.byId.delete(before.id);
      this.byPage.set(page, block);
    }
    this.byId.set(block.id, block);
    this.shown = block;
    frames.live.set(real, block);
    if (++frames.count > MANY) return block;
    const own = this.frames.get(frame) ?? { function: slot.function, shown: [] };
    this.frames.set(frame, own);
    own.shown.push({ block, among: frames });
    return block;
  }

  private bury(block: Block): void {
    const dead = { ...block, freed: block.allocated };
    this.byId.set(block.id, dead);
    for (const page of pagesOf(block)) if (this.byPage.get(page) === block) this.byPage.set(page, dead);
  }

  /** Undefined: all have been used, and are still there. */
  private addressFor(real: number, size: number): number | undefined {
    const offset = real % GUEST_SPACE_SIZE;
    const page = pageOf(offset);
    const turn = this.turns.get(page) ?? page;
    for (let i = 0; i < LOCAL_TAGS.count; i++) {
      const begin = (LOCAL_TAGS.first + ((turn + i) % LOCAL_TAGS.count)) * GUEST_SPACE_SIZE + offset;
      if (!this.space.hasRoomForView({ begin, size, real })) continue;
      this.turns.set(page, turn + i + 1);
      return begin;
    }
    return undefined;
  }
}

function pageOf(address: number): number {
  return Math.floor(address / PAGE_SIZE);
}

function* pagesOf({ begin, size }: Block): Generator<number> {
  for (let page = pageOf(begin); page <= pageOf(begin + size - 1); page++) yield page;
}
