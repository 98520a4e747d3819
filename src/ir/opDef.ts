/** What the table of operations says about each of them. */
import type { WasmOp } from '../wasm/opcodes.js';
import type { Slot } from '../layout/cpuState.js';

export type Type = 'i32' | 'i64' | 'v128';

/**
 * What an operation does beyond computing its result:
 *   pure    nothing: may be dropped, duplicated, moved
 *   get/set read or write one slot (imm = its offset)
 *   load/store  guest memory; may fault, and then nothing of the instruction has happened
 *   cc      writes the flag slots
 *   trap    may raise a processor exception
 *   state   reads or writes CPU state in linear memory that is never cached (x87, MXCSR); may trap
 *   helper  reads and writes the slots in `touches` and guest memory; may fault part-way, with exact state
 *   mark    the start of an instruction
 *   track   keeps or looks at what is known of guest memory beside its contents; may leave, as a load may
 *   log     notes what is executed; never leaves, and changes nothing that the guest or other operations see
 */
export type Effect = 'pure' | 'get' | 'set' | 'load' | 'store' | 'cc' | 'trap' | 'state' | 'helper' | 'mark' | 'track' | 'log';

/** What the immediate of an operation is. */
type ImmKind = 'none' | 'i32' | 'i64' | 'v128' | 'slot' | 'disp' | 'address';

export interface OpDef {
  readonly id: number;
  readonly name: string;
  readonly params: readonly Type[];
  readonly result: Type | null;
  readonly effect: Effect;
  readonly imm: ImmKind;
  /** The one WebAssembly instruction that does it, if there is one. */
  readonly wasm: WasmOp | null;
  /** For lane operations: which lane. */
  readonly lane: number;
  /** For helpers: the slots that the helper reads or writes in linear memory. */
  readonly touches: readonly Slot[];
  /** Bytes accessed, for loads and stores. */
  readonly bytes: number;
}

/** A row of the table: what is left out has the obvious default. */
export type OpRow = Partial<OpDef> & { name: string; params: readonly Type[]; result: Type | null };
