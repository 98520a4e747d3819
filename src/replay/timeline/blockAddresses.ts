/**
 * What the recording says of blocks with addresses of their own, without being played.
 *
 * Which addresses a block of the heap had before. A block that realloc leaves where it is gets another address
 * (check/heap/), although what is in it was written by the old one: who asks for a byte of it means that, too. The
 * recording is read once for that, when a question about a block is asked first.
 */
import { type GuestAddr, guestAddr } from '../../base/types.js';
import { GUEST_SPACE_SIZE } from '../../layout/memoryMap.js';
import { isHeapAddress } from '../../layout/viewAddresses.js';
import type { View } from '../../machine/views.js';
import type { Effect } from '../log/effects.js';
import type { EventLog } from '../log/eventLog.js';
import { HookAnswerQueue } from '../log/hookAnswers.js';
import type { MemoryRange } from './conditions.js';

/** A block, and how its upper half of addresses (above bit 31) was before. */
interface Moved {
  readonly block: View;
  readonly before: number;
}

export interface ShownBlock {
  readonly view: View;
  /** Right before it was shown. */
  readonly time: number;
}

/** Stands for the first argument of a function, which the recording does not have. */
const GIVEN = -1;

export class BlockAddresses {
  private known: { readonly endTime: number; readonly moved: readonly Moved[] } | undefined;

  constructor(private readonly log: EventLog) {}

  /** The ranges, and where they were before. */
  withEarlier(ranges: readonly MemoryRange[]): readonly MemoryRange[] {
    if (!ranges.some(({ start }) => isHeapAddress(start))) return ranges;
    const all = [...ranges];
    const { moved } = this;
    // The newest first: each may have been somewhere else before.
    for (let i = moved.length - 1; i >= 0; i--) {
      const { block: { begin, size }, before } = moved[i] as Moved;
      for (const { start, end } of all.filter((range) => range.start < begin + size && begin < range.end)) {
        const shift = (before - tagOf(begin)) * GUEST_SPACE_SIZE;
        const earlier = {
          start: guestAddr(Math.max(start, begin) + shift), end: guestAddr(Math.min(end, begin + size) + shift),
        };
        // What it means of what it means is nothing else.
        if (!all.some((range) => range.start <= earlier.start && range.end >= earlier.end)) all.push(earlier);
      }
    }
    return all;
  }

  /** Of addresses that some block had before a time: the last block, and when it came to be. */
  lastAt(addresses: readonly GuestAddr[], before: number): ReadonlyMap<GuestAddr, ShownBlock> {
    const found = new Map<GuestAddr, ShownBlock>();
    if (addresses.length > 0) eachView(this.log, before, (view, time) => {
      for (const address of addresses) if (address >= view.begin && address < view.begin + view.size) found.set(address, { view: { ...view }, time });
    });
    return found;
  }

  /** In order of time. A log that is still being written is read anew when there is more of it. */
  private get moved(): readonly Moved[] {
    const { endTime } = this.log;
    if (this.known?.endTime !== endTime) this.known = { endTime, moved: movedBlocks(this.log) };
    return this.known.moved;
  }
}

/** All that were shown before a time. */
function eachView(log: EventLog, before: number, visit: (view: View, time: number) => void): void {
  const cursor = log.cursor();
  for (let event = cursor.next(); event !== undefined; event = cursor.next()) {
    for (const { answers } of event.known.filter((effect) => effect.op === 'hooks')) {
      const queue = new HookAnswerQueue(answers);
      for (let time = queue.nextTime, answer = queue.take(GIVEN); answer !== undefined && time < before; time = queue.nextTime, answer = queue.take(GIVEN)) if (answer.shown !== undefined) visit(answer.shown, time);
    }
    if (event.time >= before) return;
    for (const effect of event.effects) if (effect.op === 'view') visit(effect.view, event.time);
  }
}

function movedBlocks(log: EventLog): readonly Moved[] {
  const survey = new Survey();
  const cursor = log.cursor();
  for (let event = cursor.next(); event !== undefined; event = cursor.next()) {
    for (const effects of [event.known, event.effects]) survey.lookAt(effects);
  }
  return survey.moved;
}

/** Follows the blocks of all address spaces. */
class Survey {
  readonly moved: Moved[] = [];
  /** By address space: which upper half the block has that was shown last at a place of linear memory. */
  private readonly shown = new Map<number, Map<number, number>>();

  lookAt(effects: readonly Effect[]): void {
    const hidden = new Set<number>();
    for (const effect of effects) {
      if (effect.op === 'hooks') this.lookAtAnswers(effect.space, effect.answers);
      if (effect.op === 'copySpace') this.shown.set(effect.space, new Map(this.shown.get(effect.from)));
      if (effect.op === 'clear') this.shown.delete(effect.space);
      if (effect.op === 'unview') hidden.add(effect.begin % GUEST_SPACE_SIZE);
      if (effect.op === 'view') this.show(effect.space, effect.view, hidden.has(effect.view.begin % GUEST_SPACE_SIZE));
    }
  }

  private lookAtAnswers(space: number, answers: Uint8Array): void {
    const queue = new HookAnswerQueue(answers);
    for (let answer = queue.take(GIVEN); answer !== undefined; answer = queue.take(GIVEN)) {
      const { shown, hidden } = answer;
      // Of what is moved elsewhere the old place is hidden later.
      if (shown !== undefined) this.show(space, shown, hidden === GIVEN || (hidden !== undefined && hidden % GUEST_SPACE_SIZE === shown.begin % GUEST_SPACE_SIZE));
    }
  }

  private show(space: number, view: View, isSame: boolean): void {
    if (!isHeapAddress(view.begin)) return;
    const places = this.shown.get(space) ?? new Map<number, number>();
    this.shown.set(space, places);
    const place = view.begin % GUEST_SPACE_SIZE;
    const before = places.get(place);
    if (isSame && before !== undefined) this.moved.push({ block: { ...view }, before });
    places.set(place, tagOf(view.begin));
  }
}

function tagOf(address: number): number {
  return Math.floor(address / GUEST_SPACE_SIZE);
}
