/**
 * The one WebAssembly memory, with views on it. Offsets here are linear offsets, not guest
 * addresses: machine/addressSpace.ts translates. The memory never grows, so views stay valid.
 */
import { LINEAR_MEMORY_PAGES } from '../layout/memoryMap.js';

/**
 * What starts us may have made a memory already (scripts/bundle.mjs): when so much is added V8 collects garbage, which
 * takes the less time the earlier it is.
 */
const EARLY = Symbol.for('culprit.earlyMemory');

function newMemory(): WebAssembly.Memory {
  const globals = globalThis as { [EARLY]?: WebAssembly.Memory | undefined };
  const early = globals[EARLY];
  globals[EARLY] = undefined;
  return early ?? new WebAssembly.Memory({ initial: LINEAR_MEMORY_PAGES, maximum: LINEAR_MEMORY_PAGES });
}

export class LinearMemory {
  readonly memory: WebAssembly.Memory;
  readonly u8: Uint8Array;
  readonly u16: Uint16Array;
  readonly u32: Uint32Array;
  readonly i32: Int32Array;
  readonly u64: BigUint64Array;
  readonly view: DataView;

  constructor() {
    this.memory = newMemory();
    const buffer = this.memory.buffer;
    this.u8 = new Uint8Array(buffer);
    this.u16 = new Uint16Array(buffer);
    this.u32 = new Uint32Array(buffer);
    this.i32 = new Int32Array(buffer);
    this.u64 = new BigUint64Array(buffer);
    this.view = new DataView(buffer);
  }
}
