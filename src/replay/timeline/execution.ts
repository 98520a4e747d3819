/** What debuggers need of an execution: a recording's Timeline is one, a what-if branch another. */
import type { GuestAddr } from '../../base/types.js';
import type { EventLog } from '../log/eventLog.js';
import type { Position } from '../log/position.js';
import type { ShownBlock } from './blockAddresses.js';
import type { Condition, Hit, HitFilter, MemoryRange } from './conditions.js';
import type { ExecutionListener, Observed } from './observing.js';
import type { HitListener } from './scan.js';
import type { SearchDriver } from './searchDriver.js';
import type { State } from './state.js';
import type { Work } from './work.js';

export interface Execution {
  /** Where it begins: there is nothing before. */
  readonly start: Position;
  readonly position: Position;
  /** The last time there is, as far as is known: a branch may go on. */
  readonly endTime: number;
  /** What the program is where the execution stands. */
  readonly state: State;
  /** All that happens in it, as far as it is known. */
  readonly log: EventLog;
  /** For those who cannot wait for promises: it moves the execution. */
  readonly driver: SearchDriver;
  seek(position: Position, work?: Work): Promise<void>;
  /** Right before the last thing that happened. */
  seekEnd(work?: Work): Promise<void>;
  /**
   * The first hit after the position, where it stands then. Undefined: none, and it stands at the end. With a filter:
   * of those that it accepts.
   */
  forward(conditions: readonly Condition[], work?: Work, filter?: HitFilter): Promise<Hit | undefined>;
  /** The last hit before the position, where it stands then. Undefined: none, and it stands at the start. */
  backward(conditions: readonly Condition[], work?: Work, filter?: HitFilter): Promise<Hit | undefined>;
  /**
   * What ranges that a thread (default: the one that runs) names here are at other times: the plain addresses of
   * variables, which are good at all times (machine/watchedMemory.ts), and addresses that blocks had before they were
   * resized (blockAddresses.ts). Searches do that with their conditions by themselves; this is for reading.
   */
  meaning(ranges: readonly MemoryRange[], thread?: number): readonly MemoryRange[];
  /**
   * Of addresses that blocks with addresses of their own (machine/views.ts) had before a time: the last such block, and
   * when it came to be. Nothing is played for that.
   */
  blocksAt(addresses: readonly GuestAddr[], before: number): ReadonlyMap<GuestAddr, ShownBlock>;
  /**
   * The last time before `position` (default: where it stands) that such a block came to be or was gone. The position
   * stays.
   */
  lastBlock(address: GuestAddr, position?: Position, work?: Work): Promise<Hit | undefined>;
  lastWrite(ranges: readonly MemoryRange[], position?: Position, work?: Work): Promise<Hit | undefined>;
  nextAccess(ranges: readonly MemoryRange[], position?: Position, work?: Work): Promise<Hit | undefined>;
  /**
   * Plays [from, to) and tells what was executed in it, in order and at speed: blocks, and if asked addresses
   * (observing.ts). The position stays.
   */
  observe(what: Observed, listener: ExecutionListener, from?: Position, to?: Position, work?: Work): Promise<void>;
  each(conditions: readonly Condition[], listener: HitListener, from?: Position, to?: Position, work?: Work): Promise<void>;
}
