/** Recordings in files, to be read. */
import fs from 'node:fs';
import { UserError } from '../base/errors.js';
import type { ByteSource } from '../replay/format/byteSource.js';
import { RecordingReader } from '../replay/format/recordingReader.js';
import { checksum, inflate } from './nodeCompression.js';
import { systemErrorText } from './systemError.js';

export class FileSource implements ByteSource {
  readonly size: number;
  readonly fd: number;

  /** Throws a UserError if there is no such file, or it cannot be read. `fd`: it is open already. */
  constructor(
    readonly name: string,
    fd?: number,
  ) {
    this.fd = fd ?? this.attempt(() => fs.openSync(name, 'r'));
    const stats = fs.fstatSync(this.fd);
    this.size = stats.size;
    if (stats.isFile()) return;
    this.close();
    throw new UserError(stats.isDirectory() ? `${name}: a directory, not a recording` : `${name}: not an ordinary file`);
  }

  read(offset: number, length: number): Uint8Array {
    const bytes = new Uint8Array(Math.max(0, Math.min(length, this.size - offset)));
    let filled = 0;
    while (filled < bytes.length) {
      const count = this.attempt(() => fs.readSync(this.fd, bytes, filled, bytes.length - filled, offset + filled));
      if (count === 0) break;
      filled += count;
    }
    return bytes.subarray(0, filled);
  }

  close(): void {
    fs.closeSync(this.fd);
  }

  private attempt<T>(action: () => T): T {
    try {
      return action();
    } catch (error) {
      throw new UserError(`${this.name}: ${systemErrorText(error)}`);
    }
  }
}

/** A recording's file, open for as long as it is used. */
export interface OpenRecording {
  readonly reader: RecordingReader;
  /** Of the file, in bytes. */
  readonly size: number;
  readonly fd: number;
  close(): void;
}

/**
 * Throws a UserError in one line for whatever is not a recording that can be used. `fd`: the file is open already; it
 * is taken over.
 */
export function openRecordingFile(path: string, fd?: number): OpenRecording {
  const source = new FileSource(path, fd);
  try {
    return { reader: RecordingReader.open(source, { inflate, checksum }), size: source.size, fd: source.fd, close: () => source.close() };
  } catch (error) {
    source.close();
    throw error;
  }
}
