/**
 * What earlier runs of a program have found out about its code (machine/knownCode), in a file of the user's cache directory: the second
 * run need not translate and find out what is hot. Nothing depends on it. Files of other versions, and damaged ones, are as if they were
 * not there; what cannot be written is not written.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import zlib from 'node:zlib';
import { KnownCode } from '../machine/knownCode/knownCode.js';
import type { MachineCode } from '../machine/knownCode/machineCode.js';
import { crc32 } from '../replay/format/crc32.js';
import { cacheDirectory, nameInCache } from './cacheDirectory.js';
import { trialVerdict, tryMachineCode } from './machineCodeTrial.js';
import { buildId } from './prebuilt.js';
import { V8MachineCode } from './v8MachineCode.js';

/** Build id, then the checksum of what follows. */
const ID_BYTES = 20;
const START = 24;
const LARGEST_FILE = 192 * 1024 * 1024;
/** Of all programs together; the oldest files go first. */
const MOST_BYTES = 512 * 1024 * 1024;
const SUFFIX = '.code';
/** In a shorter run V8 has optimised nothing. */
const SHORTEST_RUN_MS = 500;

export interface CodeStore {
  readonly known: KnownCode;
  /** The run is over. */
  save(): void;
}

/** Undefined if there is no place for it. `program` is a path or a name. */
export function openCodeStore(program: string): CodeStore | undefined {
  const directory = cacheDirectory();
  const id = buildId();
  if (directory === undefined || id === undefined) return undefined;
  const file = join(directory, `${nameInCache(program)}${SUFFIX}`);
  const machineCode = new V8MachineCode((purpose) => trialVerdict(directory) ?? (purpose === 'keep' && tryMachineCode(directory)));
  const known = read(file, id, machineCode) ?? new KnownCode(undefined, machineCode);
  const began = performance.now();
  const isWorthStoring = (): boolean => known.isWorthStoring || (performance.now() - began > SHORTEST_RUN_MS && known.hasMoreMachineCode);
  return {
    known,
    save: () => {
      if (isWorthStoring()) write(directory, file, id, known);
    },
  };
}

function read(file: string, id: string, machineCode: MachineCode): KnownCode | undefined {
  try {
    const { buffer, byteOffset, length } = fs.readFileSync(file);
    const bytes = new Uint8Array(byteOffset % 8 === 0 ? buffer : buffer.slice(byteOffset, byteOffset + length), byteOffset % 8 === 0 ? byteOffset : 0, length) as Uint8Array<ArrayBuffer>;
    if (length < START || Buffer.from(bytes.subarray(0, ID_BYTES)).toString('latin1') !== id) return undefined;
    const content = bytes.subarray(START);
    if (new DataView(buffer, byteOffset).getUint32(ID_BYTES, true) !== checksum(content)) return undefined;
    return KnownCode.open(content, machineCode);
  } catch {
    return undefined;
  }
}

function write(directory: string, file: string, id: string, known: KnownCode): void {
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    const content = known.encode();
    if (content.length > LARGEST_FILE) {
      fs.rmSync(file, { force: true });
      return;
    }
    const start = new Uint8Array(START);
    start.set(Buffer.from(id, 'latin1'));
    new DataView(start.buffer).setUint32(ID_BYTES, checksum(content), true);
    // Only the last one is ours alone.
    fs.mkdirSync(dirname(directory), { recursive: true });
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
    const fd = fs.openSync(temporary, 'wx', 0o600);
    fs.writevSync(fd, [start, content]);
    fs.closeSync(fd);
    fs.renameSync(temporary, file);
    makeRoom(directory, file);
  } catch {
    remove(temporary);
  }
}

function remove(path: string): void {
  try {
    fs.rmSync(path, { force: true });
  } catch {
    // Nobody can do anything about it.
  }
}

function makeRoom(directory: string, newest: string): void {
  const files = fs.readdirSync(directory).map((name) => join(directory, name)).filter((path) => path !== newest);
  const known = files.map((path) => ({ path, ...sizeAndTime(path) })).sort((a, b) => b.time - a.time);
  let total = sizeAndTime(newest).size;
  for (const { path, size } of known) {
    total += size;
    if (total > MOST_BYTES) fs.rmSync(path, { force: true });
  }
}

function sizeAndTime(path: string): { size: number; time: number } {
  const stat = fs.statSync(path, { throwIfNoEntry: false });
  return { size: stat?.size ?? 0, time: stat?.mtimeMs ?? 0 };
}

function checksum(bytes: Uint8Array): number {
  // Node has one only since 20.15.
  const native = (zlib as { crc32?: (bytes: Uint8Array) => number }).crc32;
  return native === undefined ? crc32(bytes) : native(bytes) >>> 0;
}
