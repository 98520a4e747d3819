/** The files that a recording has because they were mapped, from its events alone. */
import { UserError } from '../../base/errors.js';
import { PROT } from '../../machine/mapping.js';
import type { EventLog } from '../log/eventLog.js';

export interface RecordedFile {
  /** One character a byte. */
  readonly path: string;
  readonly size: number;
  /** Where its contents are; 0 if they are not in the recording. */
  readonly blob: number;
  /** Some of it was mapped to be executed. */
  readonly isCode: boolean;
}

/** In the order in which they were first mapped. A log that breaks off has what comes before. */
export function mappedFiles(log: EventLog): RecordedFile[] {
  const files = new Map<number, { path: string; size: number; blob: number; isCode: boolean }>();
  const cursor = log.cursor();
  try {
    for (let event = cursor.next(); event !== undefined; event = cursor.next()) {
      for (const effect of [...event.known, ...event.effects]) {
        if (effect.op === 'object' && effect.blob !== 0) files.set(effect.object, { path: effect.path, size: effect.size, blob: effect.blob, isCode: false });
        if (effect.op !== 'map' || effect.mapping.object === undefined || (effect.mapping.prot & PROT.EXEC) === 0) continue;
        const file = files.get(effect.mapping.object);
        if (file !== undefined) file.isCode = true;
      }
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
  }
  return [...files.values()];
}
