/**
 * Reads all events of a recording and counts what is in them: what `culprit info` tells. Works for
 * recordings that were cut off, too, and finds damage that only shows when a chunk is read.
 */
import { UserError } from '../../base/errors.js';
import type { RecordedEvent, StopKind } from '../log/events.js';
import type { Recording } from './openRecording.js';
import type { RecordedEnding } from './recordingHeader.js';

export interface Survey {
  readonly instructions: number;
  /** Of the guest's clock. */
  readonly seconds: number;
  readonly events: number;
  readonly eventsByKind: Readonly<Partial<Record<StopKind, number>>>;
  readonly processes: number;
  readonly threads: number;
  /** Signals that took effect, by number. */
  readonly signals: ReadonlyMap<number, number>;
  /** Undefined if the recording does not go so far. */
  readonly ending: RecordedEnding | undefined;
  /** Mapped files whose contents are stored. */
  readonly files: number;
  /** What made reading end too soon. */
  readonly failure: string | undefined;
}

/** `progress` is told how much of 1 is done. */
export function surveyRecording(recording: Recording, progress: (part: number) => void = () => undefined): Survey {
  const counter = new Counter();
  const failure = counter.readAll(recording, progress);
  return { ...counter.survey(recording), failure };
}

class Counter {
  private time = 0;
  private nanoseconds = 0;
  private events = 0;
  private readonly kinds: Partial<Record<StopKind, number>> = {};
  private processes = 0;
  private threads = 0;
  private readonly signals = new Map<number, number>();
  private firstProcess: number | undefined;
  private ending: RecordedEnding | undefined;
  private files = 0;

  readAll({ log }: Recording, progress: (part: number) => void): string | undefined {
    const cursor = log.cursor();
    try {
      for (let event = cursor.next(); event !== undefined; event = cursor.next()) {
        this.count(event);
        progress(event.time / log.endTime);
      }
      return undefined;
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return error.message;
    }
  }

  survey({ summary }: Recording): Omit<Survey, 'failure'> {
    return {
      instructions: this.time,
      seconds: (this.time + this.nanoseconds) / 1e9,
      events: this.events,
      eventsByKind: this.kinds,
      processes: this.processes,
      threads: this.threads,
      signals: this.signals,
      ending: summary?.ending ?? this.ending,
      files: this.files,
    };
  }

  private count({ time, stop, known, effects }: RecordedEvent): void {
    this.time = time;
    this.events++;
    this.kinds[stop] = (this.kinds[stop] ?? 0) + 1;
    for (const effect of [...known, ...effects]) {
      switch (effect.op) {
        case 'clock':
          this.nanoseconds += effect.nanoseconds;
          break;
        case 'process':
          this.firstProcess ??= effect.process;
          this.processes++;
          break;
        case 'task':
          this.threads++;
          break;
        case 'signal':
          this.signals.set(effect.signal, (this.signals.get(effect.signal) ?? 0) + 1);
          break;
        case 'processEnd':
          if (effect.process === this.firstProcess) this.ending = effect.signal === 0 ? { how: 'exited', code: effect.code } : { how: 'signaled', signal: effect.signal };
          break;
        case 'object':
          if (effect.blob !== 0) this.files++;
          break;
        default:
      }
    }
  }
}
