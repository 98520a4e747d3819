/**
 * What queries have found out about a recording, in a file beside it: FILE.culprit.cache. The next question starts where the last
 * stopped. Nothing depends on it: a file of another version or recording, or a damaged one, is as if it were not there, and what cannot be
 * written is not written.
 */
import fs from 'node:fs';
import zlib from 'node:zlib';
import type { Recording } from '../replay/recordingFile/openRecording.js';
import { KnownHits } from '../traces/execution/knownHits.js';
import { crc32 } from '../replay/format/crc32.js';
import { buildId } from './prebuilt.js';
import { quickDigest } from './quickDigest.js';
import { VERSION } from './version.js';

const SUFFIX = '.cache';
const SIGNATURE = 'culprit-traces-1\n';
/** Of the recording and the version that wrote it; then the checksum of what follows. */
const ID_BYTES = 32;
const START = SIGNATURE.length + ID_BYTES + 4;
const LARGEST_TEXT = 128 * 1024 * 1024;
/** While a query goes on it is stored now and then, because somebody may lose patience: for no more than this part of the time. */
const PART_OF_TIME = 1 / 20;
const FIRST_GUESS_MILLISECONDS = 1;

export class QueryStore {
  readonly known: KnownHits;
  private readonly path: string;
  private readonly id: string;
  private saved = performance.now();
  private saving = FIRST_GUESS_MILLISECONDS;

  constructor(recordingPath: string, recording: Recording) {
    this.path = `${recordingPath}${SUFFIX}`;
    const { header, summary, log } = recording;
    this.id = quickDigest(JSON.stringify([VERSION, buildId() ?? '', header, summary ?? null, log.endTime, log.chunks.length]));
    this.known = new KnownHits(this.read());
    this.known.onChange = () => {
      if ((performance.now() - this.saved) * PART_OF_TIME > this.saving) this.save();
    };
  }

  save(): void {
    const began = performance.now();
    this.saved = began;
    if (!this.known.isChanged) return;
    const temporary = `${this.path}.${process.pid}`;
    try {
      const text = Buffer.from(this.known.encode());
      if (text.length > LARGEST_TEXT) return;
      const content = zlib.deflateSync(text, { level: 1 });
      const start = Buffer.alloc(START);
      start.write(SIGNATURE + this.id, 'latin1');
      start.writeUInt32LE(crc32(content) >>> 0, START - 4);
      fs.writeFileSync(temporary, Buffer.concat([start, content]), { mode: 0o600 });
      fs.renameSync(temporary, this.path);
      this.known.isChanged = false;
    } catch {
      fs.rmSync(temporary, { force: true });
    }
    this.saved = performance.now();
    this.saving = this.saved - began;
  }

  private read(): string | undefined {
    try {
      const bytes = fs.readFileSync(this.path);
      const content = bytes.subarray(START);
      if (bytes.toString('latin1', 0, START - 4) !== SIGNATURE + this.id || bytes.readUInt32LE(START - 4) !== crc32(content) >>> 0) return undefined;
      return zlib.inflateSync(content).toString();
    } catch {
      return undefined;
    }
  }
}
