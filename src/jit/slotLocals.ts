/** Which CPU state slots a region keeps in WebAssembly locals, and in which. */
import { CC_OP, CC_X, CC_Y, CC_Z, GPR, type Slot, XMM } from '../layout/cpuState.js';
import type { OpDef } from '../ir/opDef.js';
import { OPS } from '../ir/ops.js';
import type { Code } from '../wasm/code.js';
import type { Region } from './region.js';

export interface SlotLocal {
  readonly slot: Slot;
  readonly local: number;
}

const CC_SLOTS: readonly Slot[] = [CC_OP, CC_X, CC_Y, CC_Z];
/** Everything that generated code may keep in locals; other slots are only ever in linear memory. */
const CACHEABLE: ReadonlyMap<number, Slot> = new Map([...GPR, ...XMM, ...CC_SLOTS].map((s) => [s.offset, s]));

export class SlotLocals {
  private readonly locals = new Map<number, SlotLocal>();
  private readonly writtenSlots = new Set<number>();

  constructor(code: Code, region: Region) {
    const use = (offset: number, write: boolean): void => {
      const slot = CACHEABLE.get(offset);
      if (slot === undefined) return;
      if (!this.locals.has(offset)) this.locals.set(offset, { slot, local: code.local(slot.type, slot.name) });
      if (write) this.writtenSlots.add(offset);
    };
    for (const { block } of region.nodes) {
      for (const node of block.nodes) {
        const def = OPS[node.op] as OpDef;
        if (def.effect === 'get') use(node.imm, false);
        else if (def.effect === 'set') use(node.imm, true);
        else if (def.effect === 'cc') for (const slot of CC_SLOTS) use(slot.offset, true);
      }
    }
  }

  all(): Iterable<SlotLocal> {
    return this.locals.values();
  }

  /** Those that the region itself changes. */
  *written(): Iterable<SlotLocal> {
    for (const offset of this.writtenSlots) yield this.locals.get(offset) as SlotLocal;
  }

  /** The local of a slot, or undefined if the slot is not kept in one. */
  find(offset: number): SlotLocal | undefined {
    return this.locals.get(offset);
  }

  isWritten(offset: number): boolean {
    return this.writtenSlots.has(offset);
  }
}
