/**
 * Observation: a stretch of the execution is played with code that logs what it executes (machine/observation/), and a
 * listener receives the log in
 * chunks: which blocks were entered, in order, and if asked the addresses that their instructions accessed. What the
 * kernel did comes in between,
 * where it happened. Every instruction that retired in the stretch is part of exactly one block that the listener is
 * told of, and no other is.
 *
 * Or only what happens at spots is told: stores to some memory, with what was stored, some instructions, and calls of
 * some functions with their results. That costs little where the program comes near none of them.
 */
import type { LoggedBlocks } from '../../ir/loggedBlocks.js';
import type { LogSink, PartialAccess } from '../../machine/observation/executionLog.js';
import type { SpotRegisters, Spots, SpotSink } from '../../machine/observation/spotLog.js';
import { WatchedMemory } from '../../machine/watchedMemory.js';
import type { RecordedEvent } from '../log/events.js';
import type { Player } from '../play/player.js';
import { RIP } from '../../layout/cpuState.js';
import { at, comparePositions, type Position } from '../log/position.js';
import type { Condition, MemoryAccess } from './conditions.js';
import { eventHappenings } from './eventHappenings.js';
import type { Happening } from './hitMeets.js';
import { type KernelChange, kernelChanges } from './kernelChanges.js';
import type { SearchDriver } from './searchDriver.js';
import { State } from './state.js';
import { type Steps, untold } from './steps.js';
import type { ChannelPlace, Transfers } from './transfers.js';

export type { ChannelPlace, Happening, KernelChange, SpotRegisters, Spots };

export type Observed =
  /** All blocks; if wanted also the addresses that are accessed. */
  | { readonly addresses: boolean }
  /** Only what happens at spots. */
  | { readonly spots: Spots };

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

/** Where something happened. */
export interface SpotPlace {
  /** As hits name it. */
  readonly thread: number;
  readonly space: number;
  /** Of the instruction; of what the kernel stores, the one after the system call. */
  readonly instruction: number;
  readonly by: 'program' | 'kernel';
}

export interface ExecutionListener {
  /** Not told if only spots are. */
  ran?(run: ObservedRun): void;
  /**
   * Memory that is a spot was stored to, maybe together with other memory; large stores are told in parts. The bytes
   * are in `content` from `at` on, until the listener returns. `time`: when the instruction began.
   */
  stored?(place: SpotPlace, time: number, address: number, bytes: number, content: DataView, at: number): void;
  /** An instruction that is a spot is about to be executed; a function is called, or about to return. */
  came?(place: SpotPlace, time: number, kind: 'pass' | 'call' | 'return', registers: SpotRegisters): void;
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

class Observer implements LogSink, SpotSink {
  /** Up to which the listener has been told. */
  private time: number;
  private memory: WatchedMemory | undefined;
  /** By instruction, as they were last: there are millions of stores, by few instructions. */
  private readonly places = new Map<number, SpotPlace>();
  /** The last of those that may be told twice. */
  private told = '';

  constructor(
    private readonly player: Player,
    private readonly transfers: Transfers,
    private readonly listener: ExecutionListener,
  ) {
    this.time = player.time;
  }

  begin(what: Observed): void {
    const { player, listener } = this;
    if ('spots' in what) {
      this.memory = new WatchedMemory(what.spots.memory);
      player.world.observe({ sink: this, spots: what.spots });
    } else player.world.observe({ sink: this, addresses: what.addresses });
    const looks = listener.happened !== undefined || listener.changed !== undefined || (this.memory !== undefined && listener.stored !== undefined);
    if (looks) player.onEvent = (event, done) => this.lookAt(event, done);
  }

  end(): void {
    this.player.world.observe(undefined);
    this.player.onEvent = undefined;
  }

  ran(blocks: Uint32Array, addresses: Float64Array, retired: number, known: LoggedBlocks): void {
    const { player: { world }, time } = this;
    if (world.isRepeating) return;
    this.time = retired + world.ofOthers;
    this.listener.ran?.({ thread: this.thread, space: this.player.task?.space ?? 0, time, end: this.time, blocks, addresses, known, state: new State(world, at(time)) });
  }

  interrupted(accesses: readonly PartialAccess[], retired: number): void {
    const [access, ...others] = accesses.map(({ address, bytes, isWrite }): MemoryAccess => ({ address, bytes, write: isWrite, by: 'program' }));
    const rip = accesses[0]?.instruction;
    if (access === undefined || rip === undefined) return;
    const position = at(retired + this.player.world.ofOthers);
    this.listener.happened?.({ kind: 'memory', position, task: this.thread, rip, access, ...(others.length === 0 ? {} : { alsoAccessed: others }) });
  }

  stored(time: number, instruction: number, address: number, bytes: number, content: DataView, at: number): void {
    this.listener.stored?.(this.place(instruction), time + this.player.world.ofOthers, address, bytes, content, at);
  }

  came(kind: 'pass' | 'call' | 'return', engineTime: number, instruction: number, registers: SpotRegisters): void {
    const time = engineTime + this.player.world.ofOthers;
    // An instruction that compiled code could not do is begun twice, and so is one that faults.
    const what = `${time} ${kind}`;
    if (what === this.told) return;
    this.told = what;
    this.listener.came?.(this.place(instruction), time, kind, registers);
  }

  private place(instruction: number): SpotPlace {
    const { thread } = this;
    const space = this.player.task?.space ?? 0;
    let known = this.places.get(instruction);
    if (known?.thread !== thread || known.space !== space) this.places.set(instruction, (known = { thread, space, instruction, by: 'program' }));
    return known;
  }

  /** What the kernel stores to spots. */
  private tellStores({ effects, stop, time, task, registers }: RecordedEvent, memory: WatchedMemory): void {
    // The system call instruction is the last one before the event.
    const began = stop === 'syscall' ? time - 1 : time;
    for (const effect of effects) {
      if (effect.op !== 'write' || !memory.meets(effect.address, effect.bytes.length)) continue;
      const { bytes, space } = effect;
      const instruction = Number(new DataView(registers.buffer, registers.byteOffset).getBigUint64(RIP.offset, true));
      this.listener.stored?.({ thread: task, space, instruction, by: 'kernel' }, began, effect.address, bytes.length, new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 0);
    }
  }

  private lookAt(event: RecordedEvent, done: number): void {
    if (this.memory !== undefined) this.tellStores(event, this.memory);
    if (this.listener.happened === undefined && this.listener.changed === undefined) return;
    const { spaces } = this.player.world;
    const happenings = eventHappenings(event, done, KINDS, ALL_MEMORY, (id) => spaces.get(id)?.machine.space);
    for (const happening of happenings.sort((a, b) => comparePositions(a.position, b.position))) this.listener.happened?.(happening);
    if (this.listener.changed !== undefined) for (const change of kernelChanges(event, this.transfers.of(event.time, done))) this.listener.changed(change, event.time);
  }

  private get thread(): number {
    return this.player.task?.id ?? 0;
  }
}
