/**
 * Puts the variables of a frame in another order, from rbp downwards, around what has to stay. They need as much room
 * as before, or less: nothing else of the frame changes.
 */
import type { MovableFrame, MovableSlot, PlacedFrame } from './layout.js';

type Packed = { readonly kind: 'packed'; readonly slots: PlacedFrame['slots'] } | { readonly kind: 'impossible'; readonly why: string };

/** `order`: the first one is highest. Each is right below the one before it, as far as alignment and others allow. */
export function packFrame({ fixed, lowest }: Pick<MovableFrame, 'fixed' | 'lowest'>, order: readonly MovableSlot[]): Packed {
  const slots: { from: number; to: number }[] = [];
  let end = 0;
  for (const slot of order) {
    const to = highest(slot, end, fixed);
    if (to < lowest) return { kind: 'impossible', why: `the frame has no room for ${slot.name}` };
    if (to < slot.lowest) return { kind: 'impossible', why: `instructions that name ${slot.name} have no room for ${to}` };
    slots.push({ from: slot.offset, to });
    end = to;
  }
  return { kind: 'packed', slots };
}

/** The highest place that ends at or below `end` and takes nothing that has to stay. */
function highest({ size, alignment }: MovableSlot, end: number, fixed: MovableFrame['fixed']): number {
  let to = Math.floor((end - size) / alignment) * alignment;
  for (;;) {
    const hit = fixed.find((one) => one.offset < to + size && to < one.offset + one.size);
    if (hit === undefined) return to;
    to = Math.floor((hit.offset - size) / alignment) * alignment;
  }
}
