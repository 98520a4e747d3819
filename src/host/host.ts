/**
 * What the guest's kernel needs from the machine we run on, as narrow interfaces. Everything that is
 * not deterministic (clock, randomness, files, terminal, identity) comes through here, so that one
 * place can record it, and so that another host (a browser, a replay) can stand in.
 *
 * Calls that can fail return a negative Linux error number, like system calls do; they never throw.
 */
import type { Budget } from '../base/budget.js';
import type { BytePath } from '../base/bytePath.js';
import type { HostNetwork } from './hostNetwork.js';

export type { HostNetwork } from './hostNetwork.js';

/** Seconds and nanoseconds apart: together they exceed what a double holds exactly. */
export interface TimeSpec {
  readonly seconds: number;
  readonly nanoseconds: number;
}

export interface HostStat {
  readonly device: bigint;
  readonly inode: bigint;
  readonly mode: number;
  readonly links: number;
  readonly uid: number;
  readonly gid: number;
  readonly specialDevice: bigint;
  readonly size: number;
  readonly blockSize: number;
  readonly blocks: number;
  readonly accessed: TimeSpec;
  readonly modified: TimeSpec;
  readonly changed: TimeSpec;
  readonly born: TimeSpec;
}

/** Parts that are equal if and only if nothing has changed. */
export interface FileVersion {
  /** Which file it is. */
  readonly identity: string;
  readonly content: string;
  /** Owner, permissions, number of names. */
  readonly attributes: string;
}

export interface HostStatfs {
  readonly type: number;
  readonly blockSize: number;
  readonly blocks: number;
  readonly blocksFree: number;
  readonly blocksAvailable: number;
  readonly files: number;
  readonly filesFree: number;
}

export interface HostDirectoryEntry {
  readonly name: BytePath;
  /** DT_* of dirent.h. */
  readonly type: number;
}

/** A pass over a directory in the file system's own order, without `.` and `..`. */
export interface HostDirectory {
  next(): HostDirectoryEntry | undefined;
  close(): void;
}

/** A file descriptor of the host. Never shown to the guest. */
export type HostFd = number & { readonly __brand: 'HostFd' };

export interface HostFiles {
  /** `flags` and `mode` as open(2) takes them. Close-on-exec is always set. */
  open(path: BytePath, flags: number, mode: number): HostFd | number;
  close(fd: HostFd): number;
  /** With `position` like pread, without it from the descriptor's own offset. */
  read(fd: HostFd, target: Uint8Array, position?: number): number;
  write(fd: HostFd, bytes: Uint8Array, position?: number): number;
  /** Descriptors that the shell gave us: the standard streams, `3< file`, process substitutions. */
  inherited(): readonly HostFd[];
  /** Flags and offset of a descriptor that we did not open (inherited from the shell). */
  describe(fd: HostFd): { readonly flags: number; readonly offset: number } | undefined;
  /** lseek on such a descriptor. Slow: to be used once, at the end. */
  setOffset(fd: HostFd, offset: number): number;
  /** A path that reaches the file behind a descriptor; appending `/name` looks up below a directory. */
  pathOfFd(fd: HostFd): BytePath;
  stat(path: BytePath, followLinks: boolean): HostStat | number;
  statFd(fd: HostFd): HostStat | number;
  statfs(path: BytePath): HostStatfs | number;
  openDirectory(path: BytePath): HostDirectory | number;
  readLink(path: BytePath): BytePath | number;
  access(path: BytePath, mode: number): number;
  makeDirectory(path: BytePath, mode: number): number;
  removeDirectory(path: BytePath): number;
  unlink(path: BytePath): number;
  rename(from: BytePath, to: BytePath): number;
  /** Both names go on, each for what the other stood for. */
  exchange(one: BytePath, other: BytePath): number;
  /** Does not follow `from`, unless it is the path of a descriptor. */
  link(from: BytePath, to: BytePath): number;
  symlink(target: BytePath, path: BytePath): number;
  makeFifo(path: BytePath, mode: number): number;
  /** A file of the kind that Unix sockets are bound to, with no socket behind it. */
  makeSocket(path: BytePath, mode: number): number;
  chmod(path: BytePath, mode: number): number;
  chown(path: BytePath, uid: number, gid: number, followLinks: boolean): number;
  setTimes(path: BytePath, accessed: TimeSpec, modified: TimeSpec, followLinks: boolean): number;
  /** Extended attributes by name. */
  attributes(path: BytePath, followLinks: boolean): ReadonlyMap<string, Uint8Array> | number;
  /** `flags` as setxattr takes them. */
  setAttribute(path: BytePath, name: BytePath, value: Uint8Array, flags: number, followLinks: boolean): number;
  removeAttribute(path: BytePath, name: BytePath, followLinks: boolean): number;
  truncate(path: BytePath, size: number): number;
  truncateFd(fd: HostFd, size: number): number;
  /** Whether nothing but adding to the file is allowed. Absent: never. */
  isAppendOnly?(fd: HostFd): boolean;
  sync(fd: HostFd): number;
  /** What tells two states of the file at `path` apart, whatever time the guest thinks it is. Does not follow links. */
  version(path: BytePath): FileVersion | number;
  /**
   * Calls `changed` whenever something about the file, or the entry `name` of the directory, may have changed,
   * whichever process did it. The result ends it.
   */
  watch(path: BytePath, changed: (name: BytePath | undefined) => void): (() => void) | number;
  /** The umask that applies to files we create; ours is zero so that the guest's own rules. */
  initialUmask(): number;
  workingDirectory(): BytePath;
}

export interface HostClock {
  /** CLOCK_REALTIME. */
  realtime(): TimeSpec;
  /** CLOCK_MONOTONIC. */
  monotonic(): TimeSpec;
  /** CLOCK_BOOTTIME. */
  boottime(): TimeSpec;
  /** Milliseconds of CLOCK_MONOTONIC with a fraction: for measuring, not for showing to the guest. */
  milliseconds(): number;
  /** Lets the event loop run for about that long. */
  sleep(milliseconds: number): Promise<void>;
  /** Lets the event loop handle what has come in, then returns. */
  yield(): Promise<void>;
  /** Stops everything for that long: for waits too short to be worth the event loop. */
  sleepBlocking(milliseconds: number): void;
}

/** struct termios as the kernel has it: four flag words, line discipline, 19 control characters. */
export interface TerminalAttributes {
  input: number;
  output: number;
  control: number;
  local: number;
  line: number;
  characters: Uint8Array;
}

export interface HostTerminal {
  isTerminal(fd: HostFd): boolean;
  attributes(fd: HostFd): TerminalAttributes | number;
  setAttributes(fd: HostFd, attributes: TerminalAttributes): number;
  windowSize(fd: HostFd): { readonly rows: number; readonly columns: number } | number;
  /** Process group in the foreground of the controlling terminal. */
  foregroundGroup(): number;
}

export interface HostIdentity {
  readonly pid: number;
  readonly parentPid: number;
  readonly processGroup: number;
  readonly session: number;
  readonly uid: number;
  readonly effectiveUid: number;
  readonly gid: number;
  readonly effectiveGid: number;
  readonly groups: readonly number[];
  /** Whether a number is that of us: of a thread of ours, or of a process that we have started. */
  isOurs?(pid: number): boolean;
  /** The host's number of our session, where `session` is another. */
  readonly sessionOutside?: number;
  /** The host's number of a process outside that goes by another one here. */
  numberOutside?(pid: number): number | undefined;
  /** From now on files are looked up and changed with the rights of this user. Only the privileged can do that. */
  actAs(user: Actor): void;
}

/** Whose rights count where files are accessed. */
export interface Actor {
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
}

export interface HostSystem {
  readonly kernel: {
    readonly name: string;
    readonly node: string;
    readonly release: string;
    readonly version: string;
    readonly machine: string;
    readonly domain: string;
  };
  processors(): number;
  memory(): { readonly total: number; readonly free: number };
  loadAverages(): readonly number[];
  /** The limits the program would have had, started from the same shell: RLIMIT_* order; Infinity = none. */
  limits(): readonly { readonly soft: number; readonly hard: number }[];
  resourceUsage(): HostResourceUsage;
  /** What is mapped in our own process, as /proc/self/maps has it. Absent where there is no such thing. */
  ownMappings?(): string;
}

export interface HostResourceUsage {
  readonly userMicroseconds: number;
  readonly systemMicroseconds: number;
  readonly maxResidentKilobytes: number;
  readonly minorFaults: number;
  readonly majorFaults: number;
  readonly blocksIn: number;
  readonly blocksOut: number;
  readonly voluntarySwitches: number;
  readonly involuntarySwitches: number;
}

export interface HostSignals {
  /**
   * Calls `handler` when the signal arrives for us, instead of its default action. The result undoes it.
   * `isForGroup`: it was sent to our whole process group, or to us alone; undefined if that is not known.
   */
  listen(signal: number, handler: (isForGroup?: boolean) => void): () => void;
  /** kill(2) on another process, with all rights that we have. */
  send(pid: number, signal: number): number;
  /** Whose a process is; undefined if there is none. */
  ownerOf?(pid: number): ProcessOwner | undefined;
}

interface ProcessOwner {
  readonly realUid: number;
  readonly savedUid: number;
  readonly session: number;
}

/** What the shell that started us sees of us: a job. */
export interface HostJob {
  /** Signals that it wants us to ignore. */
  readonly ignored: readonly number[];
  /**
   * Stops this process as the signal does by default, and returns when it is continued: after so many milliseconds at
   * the latest.
   */
  stop(signal: number, milliseconds: number): void;
  /** Whether no process looks after our process group, so that a terminal's stop signals do nothing to it. */
  isOrphaned(): boolean;
  /** From now on it is worth the effort to find out whether a signal is for our whole group. */
  watchGroup(): void;
}

export interface Host {
  readonly files: HostFiles;
  readonly clock: HostClock;
  readonly terminal: HostTerminal;
  readonly identity: HostIdentity;
  readonly system: HostSystem;
  readonly signals: HostSignals;
  /** Absent: no shell sees us. */
  readonly job?: HostJob | undefined;
  readonly network: HostNetwork;
  /** Nothing the guest does is seen by anybody else: also named pipes that were there before are its own. */
  readonly isolated?: boolean;
  /** Bytes of our memory that the guest may have us keep for it, beside its own memory. Absent: as many as it likes. */
  readonly budget?: Budget;
  /** Fills with random bytes. */
  random(target: Uint8Array): void;
  /** The environment as `NAME=value` byte strings, in order. */
  environment(): readonly BytePath[];
  /** A line for the user, on our standard error. */
  notify(line: string): void;
}
