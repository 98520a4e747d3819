/**
 * What happens in a branch, as events like those of a recording: so it can be replayed and searched like one. It begins
 * where the branch does. As long as the branch follows the recording, its events come from there, at the branch's own
 * times; afterwards a recorder makes them (branchRecorder.ts). What is done to the branch from outside are events, too.
 */
import { ChunkWriter } from '../log/chunkWriter.js';
import { type Effect, writeEffect } from '../log/effects.js';
import type { EventLog } from '../log/eventLog.js';
import type { EventHead } from '../log/events.js';
import { LogWriter } from '../log/logWriter.js';
import type { BlobSource } from '../play/playedObject.js';
import { MemoryRecording } from '../record/memoryRecording.js';
import type { RecordingTarget } from '../record/recordingTarget.js';

/** Objects from this number on are the branch's own: the recording has fewer. */
export const FIRST_OWN_OBJECT = 2 ** 32;

const NOTHING = new Uint8Array();
/** Only of use to those who leave a recording, or who compare. */
const NOT_KEPT: ReadonlySet<Effect['op']> = new Set<Effect['op']>(['input', 'hash', 'facts', 'descriptor', 'position', 'woken', 'waits']);

export class BranchLog implements RecordingTarget, BlobSource {
  readonly events: RecordingTarget['events'];
  readonly blob: RecordingTarget['blob'];
  readonly log: EventLog;
  private readonly own = new MemoryRecording();
  private readonly chunks: ChunkWriter;
  private readonly effects = new LogWriter();

  constructor(private readonly recorded: BlobSource) {
    this.events = this.own.events.bind(this.own);
    this.blob = this.own.blob.bind(this.own);
    this.log = this.own.log();
    this.chunks = new ChunkWriter(this, () => 0);
  }

  read(blob: number, offset: number, target: Uint8Array): number {
    return (blob < FIRST_OWN_OBJECT ? this.recorded : this.own).read(blob, offset, target);
  }

  append(head: EventHead, effects: readonly Effect[]): void {
    for (const effect of effects) if (!NOT_KEPT.has(effect.op)) writeEffect(this.effects, effect);
    this.chunks.append(head, NOTHING, NOTHING, this.effects.view());
    this.effects.clear();
  }

  /** Everything up to `time` has been appended; nothing else happens before it. */
  reached(time: number): void {
    this.chunks.handOver();
    this.log.openEnd = time;
  }
}
