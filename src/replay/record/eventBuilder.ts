/**
 * The event that is going on: where a task stopped, and what has been done since. It grows effect by effect until
 * the guest runs on; what the kernel stores into memory is looked at a little later (kernelWrites.ts), but before
 * anything else is added, so that effects stand in the order in which they happened.
 */
import type { MappedSpace } from '../../machine/addressSpaceMappings.js';
import { ChunkWriter } from '../log/chunkWriter.js';
import { type Effect, writeEffect } from '../log/effects.js';
import { type EventHead, STOP_REGISTER_BYTES } from '../log/events.js';
import { HookAnswers } from '../log/hookAnswers.js';
import { LogWriter } from '../log/logWriter.js';
import { KernelInputs } from './kernelInputs.js';
import { KernelWrites } from './kernelWrites.js';
import type { RecordingTarget } from './recordingTarget.js';

/** An event that grows beyond this is continued in another one: chunks have a largest size. */
const EVENT_BYTES = 8 * 1024 * 1024;
const WRITE_BYTES = 4 * 1024 * 1024;
const NOTHING = new Uint8Array();

export class EventBuilder {
  head: EventHead = { time: 0, task: 0, stop: 'start', registers: new Uint8Array(STOP_REGISTER_BYTES) };
  /** What is done now the guest does itself, and will again. */
  inGuest = false;
  readonly inputs = new KernelInputs();
  readonly writes = new KernelWrites();
  /** What functions with hooks did since the guest runs. */
  readonly hooks = new HookAnswers();
  private readonly known = new LogWriter();
  private readonly effects = new LogWriter(64 * 1024);
  private readonly chunks: ChunkWriter;
  /** Its beginning is already written. */
  private isSplit = false;
  /** Events so far. */
  count = 0;

  constructor(
    target: RecordingTarget,
    /** Milliseconds. */
    now: () => number,
    private readonly idOf: (space: MappedSpace) => number,
  ) {
    this.chunks = new ChunkWriter(target, now);
  }

  /** After what was stored before. */
  emit(effect: Effect): void {
    this.settle();
    this.add(effect);
  }

  add(effect: Effect): void {
    writeEffect(this.effects, effect);
    if (this.effects.length > EVENT_BYTES) this.split();
  }

  /**
   * What the guest finds in files while it runs, or the kernel when it reads from memory, replay has to know before.
   */
  discovered(effect: Effect): void {
    if (!this.inGuest) {
      if (!this.inputs.discovered(effect)) this.emit(effect);
      return;
    }
    writeEffect(this.known, effect);
    if (this.known.length > EVENT_BYTES) this.writeAhead();
  }

  /** The guest has stopped in a space. */
  stopped(space: number, head: EventHead): void {
    this.inGuest = false;
    this.head = head;
    if (this.hooks.any) writeEffect(this.known, { op: 'hooks', space, answers: this.hooks.take() });
  }

  /** What was stored becomes effects. */
  settle(): void {
    if (!this.writes.any) return;
    this.writes.settle((space, address, bytes) => {
      const id = this.idOf(space);
      let at = address;
      for (const part of partsOf(bytes)) {
        this.add({ op: 'write', space: id, address: at, bytes: part });
        at += part.length;
      }
    });
  }

  /** The guest runs on, or the run is over. */
  end(): void {
    this.append(this.head, this.known.view(), this.inputs.view(), this.effects.view());
    this.known.clear();
    this.inputs.clear();
    this.effects.clear();
    this.isSplit = false;
  }

  get isOverdue(): boolean {
    return this.chunks.isOverdue;
  }

  /** What there is so far is handed over, and the event goes on later. */
  pause(): void {
    this.settle();
    if (!this.isSplit || this.effects.length > 0) this.split();
    this.handOver();
  }

  handOver(): void {
    this.chunks.handOver();
  }

  /** The event goes on in another one at the same time. */
  private split(): void {
    this.end();
    this.head = { ...this.head, stop: 'more' };
    this.isSplit = true;
  }

  /** Before the event that the guest is on its way to: one that has what is known so far. */
  private writeAhead(): void {
    const known = this.known.take();
    this.append({ ...this.head, stop: 'more' }, NOTHING, NOTHING, known);
  }

  private append(head: EventHead, known: Uint8Array, inputs: Uint8Array, effects: Uint8Array): void {
    this.chunks.append(head, known, inputs, effects);
    this.count++;
  }
}

/** Of a size that fits into an event. */
export function* partsOf(bytes: Uint8Array): Iterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += WRITE_BYTES) yield bytes.subarray(at, at + WRITE_BYTES);
}
