/**
 * What queries have found out about a recording, in a file beside it: FILE.culprit.cache. The next question starts
 * where the last stopped. Nothing depends on it: a file of another version, recording or user, or a damaged one, is as
 * if it were not there (sealedFiles.ts), and what cannot be written is not written.
 */
import zlib from 'node:zlib';
import type { Recording } from '../../replay/recordingFile/openRecording.js';
import { KnownHits } from '../../traces/execution/knownHits.js';
import { buildId } from './prebuilt.js';
import { quickDigest } from './quickDigest.js';
import { readSealed, writeSealed } from './sealedFiles.js';
import { VERSION } from './version.js';

const SUFFIX = '.cache';
/** Before and after compression. */
const LARGEST_TEXT = 128 * 1024 * 1024;
/**
 * While a query goes on it is stored now and then, because the user may lose patience: for no more than this part of
 * the time.
 */
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
    const text = Buffer.from(this.known.encode());
    if (text.length > LARGEST_TEXT) return;
    if (writeSealed(this.path, { kind: 'traces', id: this.id }, zlib.deflateSync(text, { level: 1 }))) this.known.isChanged = false;
    this.saved = performance.now();
    this.saving = this.saved - began;
  }

  private read(): string | undefined {
    const content = readSealed(this.path, { kind: 'traces', id: this.id }, LARGEST_TEXT);
    try {
      return content === undefined ? undefined : zlib.inflateSync(content, { maxOutputLength: LARGEST_TEXT }).toString();
    } catch {
      return undefined;
    }
  }
}
