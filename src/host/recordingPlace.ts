/**
 * Where a recording goes that has a name. Recordings hold memory, environment and files of the program, so the file is
 * new and for the user alone, whatever was there before. That is lost, so it has to be a recording, or empty: who
 * mistypes does not lose a program or its source. Nor is it one that another culprit is writing. Pipes and devices are
 * written to as they are.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { MAGIC } from '../replay/format/encoding.js';
import { UserError } from '../base/errors.js';
import { systemErrorText } from './systemError.js';

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = fs.constants;
/** Memory, environment and files of the program may hold secrets. */
const PRIVATE = 0o600;
const WRITES = 3;
/** Names of descriptors: what these lead to has been opened by a process already. */
const DESCRIPTOR = /^\/(?:proc\/(?:self|thread-self|\d+)(?:\/task\/\d+)?\/fd\/\d+|dev\/(?:fd\/\d+|stdin|stdout|stderr))$/;

/** Throws a UserError that says why there can be none. */
export function createRecordingPlace(path: string): number {
  try {
    const there = fs.statSync(path, { throwIfNoEntry: false });
    if (there === undefined) return probed(createNew(path));
    if (there.isDirectory()) throw refusal(path, 'Is a directory');
    if (there.isBlockDevice()) throw refusal(path, 'it is a disk');
    if (!there.isFile() || there.nlink === 0 || DESCRIPTOR.test(path)) return probed(fs.openSync(path, 'w', PRIVATE));
    return replaced(path, fs.realpathSync(path), there);
  } catch (error) {
    throw error instanceof UserError ? error : refusal(path, systemErrorText(error));
  }
}

/** Undefined if the name is taken. */
export function createNewRecordingPlace(path: string): number | undefined {
  try {
    return probed(fs.openSync(path, 'wx', PRIVATE));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw refusal(path, systemErrorText(error));
  }
}

function refusal(path: string, why: string): UserError {
  return new UserError(`cannot create the recording ${path}: ${why}`);
}

function createNew(path: string): number {
  try {
    return fs.openSync(path, 'wx', PRIVATE);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const isLink = fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    throw refusal(path, isLink ? 'it is a link that leads nowhere' : 'another culprit has just begun to record to it');
  }
}

/** Throws if there is no room for anything: better now than when the program runs. */
function probed(fd: number): number {
  try {
    if (!fs.fstatSync(fd).isFile()) return fd;
    fs.writeSync(fd, Uint8Array.of(0), 0, 1, 0);
    fs.ftruncateSync(fd);
    return fd;
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
}

function replaced(path: string, real: string, there: fs.Stats): number {
  if (isBeingWritten(real, there)) throw refusal(path, 'another culprit is recording to it; choose another name');
  if (!isRecordingOrEmpty(real)) throw refusal(path, 'there is a file that is no recording; remove it, or choose another name');
  const aside = `${real}.${randomBytes(6).toString('hex')}`;
  try {
    fs.renameSync(real, aside);
  } catch {
    return emptied(path, real);
  }
  if (fs.lstatSync(aside).ino !== there.ino) {
    fs.renameSync(aside, real);
    throw refusal(path, 'another culprit has just begun to record to it');
  }
  try {
    const fd = probed(createNew(real));
    fs.unlinkSync(aside);
    return fd;
  } catch (error) {
    fs.renameSync(aside, real);
    throw error;
  }
}

/** Where names cannot be changed. The file has to be ours to be made private. */
function emptied(path: string, real: string): number {
  const fd = fs.openSync(real, O_WRONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    if (fs.fstatSync(fd).uid !== process.geteuid?.()) throw refusal(path, 'it belongs to another user, who could read it');
    fs.fchmodSync(fd, PRIVATE);
    fs.ftruncateSync(fd);
    return probed(fd);
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
}

function isRecordingOrEmpty(path: string): boolean {
  const fd = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const start = new Uint8Array(MAGIC.length);
    const count = fs.readSync(fd, start, 0, start.length, 0);
    return count === 0 || Buffer.compare(start.subarray(0, count), MAGIC.subarray(0, count)) === 0;
  } finally {
    fs.closeSync(fd);
  }
}

/** As far as we can see: processes of other users do not show what they have open. */
function isBeingWritten(path: string, { dev, ino }: fs.Stats): boolean {
  return optional(() => fs.readdirSync('/proc'), []).filter((name) => /^\d+$/.test(name)).some((pid) => {
    const fds = optional(() => fs.readdirSync(`/proc/${pid}/fd`), []);
    return fds.some((fd) => optional(() => {
      if (fs.readlinkSync(`/proc/${pid}/fd/${fd}`) !== path) return false;
      const stat = fs.statSync(`/proc/${pid}/fd/${fd}`);
      const [, flags = '0'] = /^flags:\s*(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'latin1')) ?? [];
      return stat.dev === dev && stat.ino === ino && (Number.parseInt(flags, 8) & WRITES) !== 0;
    }, false));
  });
}

function optional<T>(action: () => T, otherwise: T): T {
  try {
    return action();
  } catch {
    return otherwise;
  }
}
