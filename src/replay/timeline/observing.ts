/**
 * Observation: a stretch of the execution is played with code that logs what it executes (machine/observation/), and a
 * listener receives the log in
 * chunks: which blocks were entered, in order, and if asked the addresses that their instructions accessed. What the
 * kernel did comes in between,
 * where it happened. Every instruction that retired in the stretch is part of exactly one block that the listener is
 * told of, and no other is.
 */
import type { LoggedBlocks } from '../../ir/loggedBlocks.js';
import type { LogSink, PartialAccess } from '../../machine/observation/executionLog.js';
import { WatchedMemory } from '../../machine/watchedMemory.js';
import type { RecordedEvent } from '../log/events.js';
import type { Player } from '../play/player.js';
import { at, comparePositions, type Position } from '../log/position.js';
import type { Condition, MemoryAccess } from './conditions.js';
import { eventHappenings } from './eventHappenings.js';
import type { Happening } from './hitMeets.js';
import { type KernelChange, kernelChanges } from './kernelChanges.js';
import type { SearchDriver } from './searchDriver.js';
import { State } from './state.js';
import { type Steps, untold } from './steps.js';
import type { ChannelPlace, Transfers } from './transfers.js';

export type { ChannelPlace, Happening, KernelChange };

export interface Observed {
  /** Also the addresses that are accessed. */
  readonly addresses: boolean;
}

/** Blocks that one thread has executed, one after the other. */
export interface ObservedRun {
  /** As hits name it. */
  readonly thread: number;
  /** When the first instruction began. */
  readonly time: number;
  /** When the last one had retired. */
  readonly end: number;
  /** Numbers; `known` says what they stand for. The array is good until the listener returns. */
  readonly blocks: Uint32Array;
  /** Of each block, in order, as many as it has entries (ir/loggedBlocks.ts). Good until the listener returns. */
  readonly addresses: Float64Array;
  /** Numbers mean the same in all runs of the execution, and in later observations of the same. */
  readonly known: LoggedBlocks;
  /** The memory that the thread sees; processes have memory of their own, unless they share it (vfork). */
  readonly space: number;
  /** What is mapped, and the threads there are. Registers and memory may not be up to date. */
  readonly state: State;
}

export interface ExecutionListener {
  ran(run: ObservedRun): void;
  /**
   * System calls, signals, switches, processes, what the kernel wrote; and what a repeated string instruction accessed
   * that was interrupted (access.by is
   * 'program'): it goes on later, and retires then. System calls have been made by the time they are told.
   */
  happened?(happening: Happening): void;
  /** The same as data flows: what the kernel did to memory and registers, in order. Told after `happened`. */
  changed?(change: KernelChange, time: number): void;
}

/** Instructions between two looks at how it goes. */
const STEP = 16_000_000;
const KINDS: ReadonlySet<Condition['kind']> = new Set(['syscall', 'return', 'process', 'memory', 'signal', 'switch']);
const ALL_MEMORY = new WatchedMemory([{ start: 0, end: Number.MAX_SAFE_INTEGER }]);

interface Observable {
  readonly player: Player;
  readonly driver: SearchDriver;
  readonly transfers: Transfers;
}

/** Plays [from, to). The player is somewhere else afterwards. */
export function* observe({ player, driver, transfers }: Observable, what: Observed, listener: ExecutionListener, { from, to }: { readonly from: Position; readonly to: Position }): Steps<void> {
  yield* untold(driver.approach(from));
  driver.rest();
  const observer = new Observer(player, transfers, listener);
  observer.begin(what);
  try {
    for (const total = Math.max(1, to.time - from.time); ; ) {
      const next = at(player.time + STEP);
      const isLast = comparePositions(next, to) >= 0;
      const stop = isLast ? to : next;
      const { kind } = player.advance(stop.time, stop.done);
      if (isLast || kind === 'end') return;
      yield { done: player.time - from.time, total };
    }
  } finally {
    observer.end();
  }
}

class Observer implements LogSink {
  /** Up to which the listener has been told. */
  private time: number;

  constructor(
    private readonly player: Player,
    private readonly transfers: Transfers,
    private readonly listener: ExecutionListener,
  ) {
    this.time = player.time;
  }

  begin({ addresses }: Observed): void {
    const { player, listener } = this;
    player.world.observe({ sink: this, addresses });
    if (listener.happened !== undefined || listener.changed !== undefined) player.onEvent = (event, done) => this.lookAt(event, done);
  }

  end(): void {
    this.player.world.observe(undefined);
    this.player.onEvent = undefined;
  }

  ran(blocks: Uint32Array, addresses: Float64Array, retired: number, known: LoggedBlocks): void {
    const { player: { world }, time } = this;
    if (world.isRepeating) return;
    this.time = retired + world.ofOthers;
    this.listener.ran({ thread: this.thread, space: this.player.task?.space ?? 0, time, end: this.time, blocks, addresses, known, state: new State(world, at(time)) });
  }

  interrupted(accesses: readonly PartialAccess[], retired: number): void {
    const [access, ...others] = accesses.map(({ address, bytes, isWrite }): MemoryAccess => ({ address, bytes, write: isWrite, by: 'program' }));
    const rip = accesses[0]?.instruction;
    if (access === undefined || rip === undefined) return;
    const position = at(retired + this.player.world.ofOthers);
    this.listener.happened?.({ kind: 'memory', position, task: this.thread, rip, access, ...(others.length === 0 ? {} : { alsoAccessed: others }) });
  }

  private lookAt(event: RecordedEvent, done: number): void {
    const { spaces } = this.player.world;
    const happenings = eventHappenings(event, done, KINDS, ALL_MEMORY, (id) => spaces.get(id)?.machine.space);
    for (const happening of happenings.sort((a, b) => comparePositions(a.position, b.position))) this.listener.happened?.(happening);
    if (this.listener.changed !== undefined) for (const change of kernelChanges(event, this.transfers.of(event.time, done))) this.listener.changed(change, event.time);
  }

  private get thread(): number {
    return this.player.task?.id ?? 0;
  }
}
