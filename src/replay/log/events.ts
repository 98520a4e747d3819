/**
 * An event: a task ran up to a time and stopped, and the kernel did something about it. `known`
 * belongs before the run (what files contained that it looked into meanwhile), `effects` after it.
 */
import type { Stop } from '../../machine/stop.js';
import { type Effect, readEffect } from './effects.js';
import { LogError, LogReader } from './logReader.js';
import type { LogWriter } from './logWriter.js';

/**
 * Why the task stopped. 'start' is the event before everything: the program is loaded. 'more': no task ran,
 * this is what else the kernel did.
 */
export type StopKind = 'start' | 'more' | Stop['kind'];

/** Numbers in the file: never change the order. */
const STOP_KINDS: readonly StopKind[] = ['start', 'budget', 'syscall', 'pageFault', 'trap', 'unknownInstruction', 'interrupted', 'more'];

export interface RecordedEvent {
  readonly time: number;
  readonly task: number;
  readonly stop: StopKind;
  /** General registers and rip when it stopped: STOP_REGISTER_BYTES of the CPU state. */
  readonly registers: Uint8Array;
  readonly known: readonly Effect[];
  readonly effects: readonly Effect[];
}

/** Recorders split events long before: in memory each takes many times the bytes that it takes here. */
const MOST_EFFECTS = 2 ** 22;
/** The general registers and rip are the first bytes of the CPU state (layout/cpuState.ts). */
export const STOP_REGISTER_BYTES = 136;

export interface EventHead {
  readonly time: number;
  readonly task: number;
  readonly stop: StopKind;
  readonly registers: Uint8Array;
}

/** `previousTime`: of the event before it in the same chunk, or the chunk's first time. */
export function writeEvent(w: LogWriter, head: EventHead, previousTime: number, known: Uint8Array, inputs: Uint8Array, effects: Uint8Array): void {
  w.num(head.time - previousTime);
  w.num(STOP_KINDS.indexOf(head.stop));
  w.num(head.task);
  w.raw(head.registers);
  w.bytes(known);
  w.num(inputs.length + effects.length);
  w.raw(inputs);
  w.raw(effects);
}

/** Reads the events of a chunk one after the other. */
export class ChunkEvents {
  private readonly reader: LogReader;
  private time: number;

  /** `time`: of the event before the one that begins at byte `at`; the chunk's first time at its beginning. */
  constructor(payload: Uint8Array, time: number, at = 0) {
    this.reader = new LogReader(payload, at);
    this.time = time;
  }

  /** Where the next event begins. */
  get at(): number {
    return this.reader.at;
  }

  get lastTime(): number {
    return this.time;
  }

  next(): RecordedEvent | undefined {
    const { reader } = this;
    if (reader.isAtEnd) return undefined;
    this.time += reader.num();
    const stop = STOP_KINDS[reader.num()];
    if (stop === undefined) throw new LogError(reader.at);
    const task = reader.num();
    const registers = reader.raw(STOP_REGISTER_BYTES);
    return { time: this.time, task, stop, registers, known: readEffects(reader.bytes()), effects: readEffects(reader.bytes()) };
  }
}

function readEffects(bytes: Uint8Array): Effect[] {
  const reader = new LogReader(bytes);
  const effects: Effect[] = [];
  while (!reader.isAtEnd) {
    const effect = effects.length < MOST_EFFECTS ? readEffect(reader) : undefined;
    if (effect === undefined) throw new LogError(reader.at);
    effects.push(effect);
  }
  return effects;
}
