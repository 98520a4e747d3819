/**
 * Files that we believe, because we have written them: what is in them is run as code. So they have to belong to the
 * user whose rights we have, no other user may be able to write to them, to the folder that they are in, or to one
 * above it, and they are ordinary files: to open them never waits, and never leads elsewhere. What we create is for
 * that user alone, whatever the umask is (ours is 0 while a guest runs). Files appear whole or not at all.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { dirname } from 'node:path';
import { writeFully } from './writeFully.js';

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = fs.constants;
const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
const GROUP_WRITES = 0o020;
const OTHERS_WRITE = 0o002;
const STICKY = 0o1000;
const ROOT = 0;

/** Why a folder is not to be trusted, as the end of a sentence. */
type Distrust = string;

/**
 * The real path of a folder that only we can change; undefined if there is none. What is wrong with it is told to
 * `refuse`.
 */
export function privateFolder(path: string, refuse?: (why: Distrust) => void): string | undefined {
  try {
    const real = fs.realpathSync(path);
    const why = whyNotOurs(real) ?? whyNotSafe(dirname(real));
    if (why === undefined) return real;
    refuse?.(why);
  } catch {
    // It is not there, or we may not look at it.
  }
  return undefined;
}

/** The same, and what is missing of it is made; but not where others can change things. */
export function madePrivateFolder(path: string): string | undefined {
  try {
    let above = path;
    const missing: string[] = [];
    for (; !isThere(above) && above !== dirname(above); above = dirname(above)) missing.unshift(above);
    if (missing.length > 0 && whyNotSafe(fs.realpathSync(above)) !== undefined) return undefined;
    for (const folder of missing) fs.mkdirSync(folder, PRIVATE_FOLDER);
  } catch {
    // Another culprit may have been quicker, and otherwise there is none.
  }
  return privateFolder(path);
}

/** Undefined if it is not there, is larger than `most`, or is not ours alone. */
export function readPrivateFile(path: string, most: number): Uint8Array<ArrayBuffer> | undefined {
  try {
    const fd = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const stat = fs.fstatSync(fd);
      if (!stat.isFile() || !isOurs(stat) || stat.size > most) return undefined;
      const bytes = new Uint8Array(stat.size);
      let filled = 0;
      while (filled < bytes.length) {
        const count = fs.readSync(fd, bytes, filled, bytes.length - filled, filled);
        if (count === 0) return undefined;
        filled += count;
      }
      return bytes;
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return undefined;
  }
}

/** In place of what was there before, be it a link. False if it cannot be written. */
export function writePrivateFile(path: string, parts: readonly Uint8Array[]): boolean {
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  let isMade = false;
  try {
    const fd = fs.openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, PRIVATE_FILE);
    isMade = true;
    try {
      writeFully(fd, parts);
    } finally {
      fs.closeSync(fd);
    }
    fs.renameSync(temporary, path);
    isMade = false;
    return true;
  } catch {
    return false;
  } finally {
    if (isMade) removeFile(temporary);
  }
}

/** If that can be. */
export function removeFile(path: string): void {
  try {
    fs.unlinkSync(path);
  } catch {
    // Then it stays.
  }
}

function isThere(path: string): boolean {
  return fs.statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isOurs({ uid, mode }: fs.Stats): boolean {
  return uid === process.geteuid?.() && (mode & (GROUP_WRITES | OTHERS_WRITE)) === 0;
}

function whyNotOurs(folder: string): Distrust | undefined {
  const fd = fs.openSync(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stat = fs.fstatSync(fd);
    if (isOurs(stat)) return undefined;
    return stat.uid === process.geteuid?.() ? `${folder} can be written by others` : `${folder} belongs to another user`;
  } finally {
    fs.closeSync(fd);
  }
}

/** Looks at a folder and all above it: who can change one of them can exchange what is below. */
function whyNotSafe(folder: string): Distrust | undefined {
  const stat = fs.lstatSync(folder);
  if (stat.uid !== ROOT && stat.uid !== process.geteuid?.()) return `${folder} belongs to another user`;
  // In a sticky folder others cannot rename what is ours. A group with the number of its user has no other members.
  const isWritable = (stat.mode & OTHERS_WRITE) !== 0 || ((stat.mode & GROUP_WRITES) !== 0 && stat.gid !== stat.uid);
  if (isWritable && (stat.mode & STICKY) === 0) return `${folder} can be written by others`;
  return folder === dirname(folder) ? undefined : whyNotSafe(dirname(folder));
}

