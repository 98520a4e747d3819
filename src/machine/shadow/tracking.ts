/** Sets up what is needed to follow shadow, beside code that looks out for bytes that have some (ir/weaveInit.ts). */
import { KEEPS_UNWRITTEN } from '../../layout/memoryMap.js';
import { MAX_BLOCK_INSTRUCTIONS } from '../../x86/translate.js';
import type { AddressSpace } from '../addressSpace.js';
import type { CodeSupply } from '../codeSupply.js';
import type { Cpu } from '../cpu.js';
import type { LinearMemory } from '../linearMemory.js';
import { type InstructionSource, ShadowFollower } from './shadowFollower.js';
import type { ShadowPolicy } from './shadowPolicy.js';
import { UndefinedPolicy } from './undefinedPolicy.js';
import { UnwrittenBytes } from './unwrittenBytes.js';

export interface TrackingOptions {
  /** All reads of unwritten bytes are wanted. */
  readonly stopsAtReads?: boolean;
  /** What is done about shadow; what is done about undefined values if none is given. */
  readonly policy?: ShadowPolicy;
}

export function followShadow(cpu: Cpu, linear: LinearMemory, space: AddressSpace, code: CodeSupply, outside: Pick<InstructionSource, 'now' | 'setPropagation' | 'remake'>, options: TrackingOptions): ShadowFollower {
  const bytes = new UnwrittenBytes(linear);
  // The memory may have been another program's.
  for (const { start, end, growsDown } of space.mappings()) {
    // A stack grows into the room that is kept for it, be its limit infinite.
    const first = growsDown ? Math.min(start, space.reserved.find((kept) => kept.end === end)?.start ?? start) : start;
    bytes.remove(first, end - first);
  }
  space.unwritten = bytes;
  linear.u32[KEEPS_UNWRITTEN / 4] = 1;
  return new ShadowFollower(cpu, linear, bytes, {
    decode: (address) => code.translateAlone(address),
    block: (address) => code.translate(address, MAX_BLOCK_INSTRUCTIONS),
    ...outside,
  }, options.policy ?? new UndefinedPolicy(options.stopsAtReads ?? false));
}
