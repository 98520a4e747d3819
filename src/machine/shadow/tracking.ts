/** Sets up what is needed to follow undefined values in a memory, beside code that looks out for unwritten bytes (ir/weaveInit.ts). */
import { KEEPS_UNWRITTEN } from '../../layout/memoryMap.js';
import type { AddressSpace } from '../addressSpace.js';
import type { CodeSupply } from '../codeSupply.js';
import type { Cpu } from '../cpu.js';
import type { LinearMemory } from '../linearMemory.js';
import { UndefinedValues } from './shadowFollower.js';
import { UnwrittenBytes } from './unwrittenBytes.js';

export interface TrackingOptions {
  /** All reads of unwritten bytes are wanted. */
  readonly stopsAtReads?: boolean;
}

export function trackUndefinedValues(cpu: Cpu, linear: LinearMemory, space: AddressSpace, code: CodeSupply, now: () => number, { stopsAtReads = false }: TrackingOptions): UndefinedValues {
  const bytes = new UnwrittenBytes(linear);
  // The memory may have been another program's.
  for (const { start, end, growsDown } of space.mappings()) {
    // A stack grows into the room that is kept for it, be its limit infinite.
    const first = growsDown ? Math.min(start, space.reserved.find((kept) => kept.end === end)?.start ?? start) : start;
    bytes.remove(first, end - first);
  }
  space.unwritten = bytes;
  linear.u32[KEEPS_UNWRITTEN / 4] = 1;
  return new UndefinedValues(cpu, linear, bytes, {
    decode: (address) => code.translate(address, 1),
    now,
  }, stopsAtReads);
}
