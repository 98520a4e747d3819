/**
 * What is stored for later runs, sealed with a key that lies in the user's cache directory and that no other user can
 * read: what we did not write ourselves, what was damaged, and what was meant for something else is as if it were not
 * there. V8 runs stored machine code without looking at it, and a checksum would only notice accidents.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readPrivateFile, writePrivateFile } from '../../host/privateFiles.js';
import { cacheDirectory, madeCacheDirectory } from './cacheDirectory.js';
import { HASH_BYTES, KEY_BYTES, keyedHash } from './keyedHash.js';

export const KEY_FILE = 'key';
/**
 * What it is and what it belongs to; then the hash of that and of the content. All in whole words of 8 bytes, so that
 * contents are aligned.
 */
const LABEL_BYTES = 40;
const START = LABEL_BYTES + HASH_BYTES;

interface Label {
  readonly kind: 'code' | 'script' | 'traces';
  /** What has to be the same for the content to be of use. */
  readonly id: string;
}

/** The content; undefined if it is not there or not good. */
export function readSealed(path: string, label: Label, most: number): Uint8Array<ArrayBuffer> | undefined {
  const bytes = readPrivateFile(path, most + START);
  if (bytes === undefined || bytes.length < START) return undefined;
  const [own, content] = [labelBytes(label), bytes.subarray(START)];
  if (Buffer.compare(bytes.subarray(0, LABEL_BYTES), own) !== 0) return undefined;
  const key = keyIn(cacheDirectory());
  const isOurs = key !== undefined && new DataView(bytes.buffer).getBigUint64(LABEL_BYTES, true) === keyedHash(key, [own, content]);
  return isOurs ? content : undefined;
}

/** False if it cannot be written. */
export function writeSealed(path: string, label: Label, content: Uint8Array): boolean {
  const key = madeKey();
  if (key === undefined) return false;
  const start = new Uint8Array(START);
  const own = labelBytes(label);
  start.set(own);
  new DataView(start.buffer).setBigUint64(LABEL_BYTES, keyedHash(key, [own, content]), true);
  return writePrivateFile(path, [start, content]);
}

function labelBytes({ kind, id }: Label): Uint8Array {
  const bytes = new Uint8Array(LABEL_BYTES);
  bytes.set(Buffer.from(`${kind} ${id}`, 'latin1').subarray(0, LABEL_BYTES));
  return bytes;
}

function keyIn(directory: string | undefined): Uint8Array | undefined {
  const key = directory === undefined ? undefined : readPrivateFile(join(directory, KEY_FILE), KEY_BYTES);
  return key?.length === KEY_BYTES ? key : undefined;
}

/** If two of us make one at the same time, what was sealed with that of the first is lost. */
function madeKey(): Uint8Array | undefined {
  const directory = madeCacheDirectory();
  const known = keyIn(directory);
  if (directory === undefined || known !== undefined) return known;
  return writePrivateFile(join(directory, KEY_FILE), [randomBytes(KEY_BYTES)]) ? keyIn(directory) : undefined;
}
