/**
 * Landlock (Linux 5.13 and later, where it is switched on): from now on this thread, and whatever it starts, may open
 * files for writing, make and remove names only where a rule allows it, bind and connect no TCP sockets (Linux 6.7),
 * send no signals to processes outside (6.12), and not attach to them or open their memory. What was open before stays
 * open.
 */
import fs from 'node:fs';
import { O } from '../../base/fileConstants.js';
import { makeNativeCalls, type NativeCall } from './nativeCalls.js';

const CREATE_RULESET = 444;
const ADD_RULE = 445;
const RESTRICT_SELF = 446;
const CLOSE = 3;
const PRCTL = 157;
const PR_SET_NO_NEW_PRIVS = 38;
const ASK_VERSION = 1;
const ASK_ERRATA = 2;
const RULE_PATH_BENEATH = 1;
/** In flags of restrict_self, from version 8 on: all threads. */
const ALL_THREADS = 8;

const FS = {
  WRITE_FILE: 1 << 1, REMOVE_DIR: 1 << 4, REMOVE_FILE: 1 << 5, MAKE_CHAR: 1 << 6, MAKE_DIR: 1 << 7, MAKE_REG: 1 << 8, MAKE_SOCK: 1 << 9,
  MAKE_FIFO: 1 << 10, MAKE_BLOCK: 1 << 11, MAKE_SYM: 1 << 12, REFER: 1 << 13, TRUNCATE: 1 << 14,
} as const;
const FIRST_VERSION = FS.WRITE_FILE | FS.REMOVE_DIR | FS.REMOVE_FILE | FS.MAKE_CHAR | FS.MAKE_DIR | FS.MAKE_REG | FS.MAKE_SOCK | FS.MAKE_FIFO | FS.MAKE_BLOCK | FS.MAKE_SYM;
const TCP = 3;
const ABSTRACT_SOCKETS = 1;
const SIGNALS = 2;
/** Bit of an erratum: signals between threads of one process went astray before. */
const SIGNALS_MENDED = 2;

/** What stays possible. */
export interface WritablePlaces {
  /** Files that may be opened for writing, and emptied. */
  readonly files: readonly string[];
  /** Directories in which files may be made, written and removed. */
  readonly directories: readonly string[];
  /** Directories below which empty directories may be removed. */
  readonly removing: readonly string[];
}

interface LandlockAbility {
  readonly version: number;
  readonly errata: number;
}

/** What the kernel offers; undefined if nothing. */
export function landlockAbility(): LandlockAbility | undefined {
  const [version = -1, errata = -1] = makeNativeCalls([ASK_VERSION, ASK_ERRATA].map((flag) => ({ number: CREATE_RULESET, arguments: [0, 0, flag] }))) ?? [];
  return version < 1 ? undefined : { version, errata: Math.max(0, errata) };
}

interface LandlockCalls {
  readonly calls: readonly NativeCall[];
  /** Which of them has to return 0. */
  readonly decisive: number;
  /** To be called when they have been made. */
  done(): void;
}

/** The calls that put it into force. */
export function landlockCalls(ability: LandlockAbility, places: WritablePlaces, part: 'all threads' | 'this thread' = 'all threads'): LandlockCalls {
  const handled = handledBy(ability);
  const fds: number[] = [];
  const rules = [
    ...places.files.map((path) => ({ path, access: FS.WRITE_FILE | FS.TRUNCATE })),
    ...places.directories.map((path) => ({ path, access: FS.WRITE_FILE | FS.TRUNCATE | FS.MAKE_REG | FS.REMOVE_FILE })),
    ...places.removing.map((path) => ({ path, access: FS.REMOVE_DIR })),
  ].flatMap(({ path, access }) => {
    const fd = openPath(path);
    if (fd === undefined) return [];
    fds.push(fd);
    // Rules for what is no file (pipes, sockets) are refused, and not needed.
    return [{ number: ADD_RULE, arguments: ['result of the first call', RULE_PATH_BENEATH, { bytes: ruleBytes(access & handled.files, fd) }, 0] as const }];
  });
  const attributes = new Uint8Array(new BigUint64Array([handled.files, handled.network, handled.scope].map(BigInt)).buffer, 0, handled.bytes);
  const before: NativeCall[] = [{ number: CREATE_RULESET, arguments: [{ bytes: attributes }, handled.bytes, 0] }, ...rules, { number: PRCTL, arguments: [PR_SET_NO_NEW_PRIVS, 1] }];
  const restrict = { number: RESTRICT_SELF, arguments: ['result of the first call', ability.version >= 8 && part === 'all threads' ? ALL_THREADS : 0] as const };
  return {
    calls: [...before, restrict, { number: CLOSE, arguments: ['result of the first call'] }],
    decisive: before.length,
    done: () => fds.forEach((fd) => fs.closeSync(fd)),
  };
}

/** Rights that the kernel is to look after; it refuses those that it does not know. */
function handledBy({ version, errata }: LandlockAbility): { files: number; network: number; scope: number; bytes: number } {
  const files = FIRST_VERSION | (version >= 2 ? FS.REFER : 0) | (version >= 3 ? FS.TRUNCATE : 0);
  const scope = version >= 6 ? ABSTRACT_SOCKETS | ((errata & SIGNALS_MENDED) !== 0 ? SIGNALS : 0) : 0;
  return { files, network: version >= 4 ? TCP : 0, scope, bytes: version >= 6 ? 24 : version >= 4 ? 16 : 8 };
}

function ruleBytes(access: number, fd: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(12));
  view.setBigUint64(0, BigInt(access), true);
  view.setInt32(8, fd, true);
  return new Uint8Array(view.buffer);
}

function openPath(path: string): number | undefined {
  try {
    return fs.openSync(path, O.PATH | O.CLOEXEC);
  } catch {
    return undefined;
  }
}
