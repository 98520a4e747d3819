/**
 * What a kernel knows of its processes beyond memory and registers: what it takes to go on from the middle of a
 * recording with a kernel of our own. Replay needs nothing of it; branches do. Facts are JSON, noted whenever they
 * have changed; 64-bit numbers are decimal texts, and names have one character per byte (base/bytePath.ts).
 */
import type { StreamState } from '../../linux/sockets/streamState.js';

export interface WorldFacts {
  readonly identity: {
    readonly pid: number; readonly parentPid: number; readonly processGroup: number; readonly session: number;
    readonly uid: number; readonly effectiveUid: number; readonly gid: number; readonly effectiveGid: number; readonly groups: readonly number[];
  };
  /** Seconds of the guest's clocks when the run began. */
  readonly start: { readonly realtime: number; readonly monotonic: number; readonly boottime: number };
  readonly workingDirectory: string;
}

/** What execve sets. */
export interface ProgramFacts {
  readonly exe: string;
  readonly argv: readonly string[];
  readonly environment: readonly string[];
  readonly auxv: readonly number[];
  readonly brkStart: number;
  readonly mmapBase: number;
  readonly hugePages: boolean;
  readonly reserved: readonly { readonly start: number; readonly end: number }[];
}

interface IdFacts {
  readonly real: number;
  readonly effective: number;
  readonly saved: number;
  readonly fileSystem: number;
}

interface TimerFacts {
  /** In the timer's own clock; null: not armed. */
  readonly deadline: number | null;
  readonly interval: number;
}

export interface PosixTimerFacts extends TimerFacts {
  readonly id: number;
  readonly clock: number;
  /** 0: none. */
  readonly signal: number;
  readonly value: string | null;
  /** The thread that gets the signal; 0 if that is the process, -1 if it has ended. */
  readonly target: number;
  readonly overrun: number;
}

/** A child that has ended and was not asked for its status yet. `signal` is 0 if it exited with `code`. */
export interface ZombieFacts {
  readonly pid: number;
  readonly code: number;
  readonly signal: number;
  readonly exitSignal: number;
  readonly processGroup: number;
  readonly cpuTime: number;
  readonly peakBytes: number;
}

export interface ProcessFacts {
  readonly pid: number;
  /** The recording's number of its parent; 0 if that is none of ours. */
  readonly parent: number;
  readonly outsideParent: number;
  /** Its table of descriptors, which several processes may share. */
  readonly table: number;
  readonly workingDirectory: string;
  readonly umask: number;
  readonly personality: number;
  readonly dumpable: number;
  readonly noNewPrivileges: number;
  readonly timerSlack: number;
  readonly parentDeathSignal: number;
  readonly user: IdFacts;
  readonly group: IdFacts;
  readonly groups: readonly number[];
  readonly processGroup: number;
  readonly session: number;
  readonly keepsCapabilities: number;
  /** Null: no limit. */
  readonly limits: readonly { readonly soft: number | null; readonly hard: number | null }[];
  readonly brk: number;
  /** Those that are not the default. */
  readonly actions: readonly { readonly signal: number; readonly handler: string; readonly flags: number; readonly restorer: string; readonly mask: string }[];
  readonly intervalTimers: readonly TimerFacts[];
  /** Those that timer_create has made; older recordings only say how many. */
  readonly posixTimers: readonly PosixTimerFacts[] | number;
  readonly nextTimer?: number;
  readonly pending: readonly (readonly number[])[];
  readonly exitSignal: number;
  readonly isSubreaper: boolean;
  readonly hasExecuted: boolean;
  readonly stoppedBy: number;
  readonly holdsParent: boolean;
  readonly startTime: number;
  readonly registeredBarriers: number;
  readonly zombies: readonly ZombieFacts[];
  readonly childrenTime: number;
  readonly childrenPeakBytes: number;
}

export interface TaskFacts {
  readonly tid: number;
  readonly process: number;
  readonly name: string;
  readonly isLeader: boolean;
  readonly blocked: string;
  readonly altStack: { readonly base: number; readonly flags: number; readonly size: number };
  readonly clearChildTid: number;
  readonly robustList: { readonly head: number; readonly length: number };
  readonly scheduling: { readonly policy: number; readonly priority: number; readonly nice: number; readonly resetOnFork: boolean; readonly affinity: string | null };
  readonly pending: readonly (readonly number[])[];
}

/** A file that an epoll watches. */
export interface WatchFacts {
  readonly file: number;
  readonly fd: number;
  readonly events: number;
  readonly data: string;
}

/** An open file, which several descriptors may refer to. */
export type FileFacts =
  /** To be found under its name. */
  | {
    readonly kind: 'named'; readonly path: string; readonly flags: number; readonly type: number; readonly device: number; readonly inode: number;
    /** It was made when it was opened. */
    readonly isNew: boolean;
  }
  /** What the user gave the run: its standard streams. */
  | { readonly kind: 'inherited'; readonly path: string; readonly flags: number; readonly type: number; readonly fd: number }
  | { readonly kind: 'pipe'; readonly pipe: number; readonly writes: boolean; readonly flags: number; readonly size: number }
  | { readonly kind: 'event'; readonly flags: number; readonly count: string; readonly semaphore: boolean }
  /** `next` in the guest's time; null: not armed. */
  | { readonly kind: 'timer'; readonly flags: number; readonly clock: number; readonly next: number | null; readonly interval: number }
  | { readonly kind: 'signals'; readonly flags: number; readonly mask: string }
  | { readonly kind: 'process'; readonly flags: number; readonly pid: number }
  /** A socket that connects with others of the guest. How much waits to be read is its position. */
  | { readonly kind: 'stream'; readonly flags: number; readonly inode: number; readonly socket: StreamState<number> }
  /** What memfd_create makes. Its contents are those of the mapped object with the same inode. */
  | { readonly kind: 'memory'; readonly path: string; readonly flags: number; readonly inode: number; readonly seals: number; readonly permissions: number }
  | { readonly kind: 'epoll'; readonly watches: readonly WatchFacts[] }
  /** Something that we cannot make again. */
  | { readonly kind: 'other'; readonly path: string; readonly flags: number };

export interface FactsOf {
  readonly world: WorldFacts;
  readonly program: ProgramFacts;
  readonly process: ProcessFacts;
  readonly task: TaskFacts;
  readonly file: FileFacts;
}

export type Subject = keyof FactsOf;
/** Numbers in the file: never change the order. */
export const SUBJECTS: readonly Subject[] = ['world', 'program', 'process', 'task', 'file'];

export type KernelNote =
  /** `id`: of the process, task or file. */
  | { readonly op: 'facts'; readonly subject: Subject; readonly id: number; readonly facts: string }
  /** File 0: the descriptor is closed. */
  | { readonly op: 'descriptor'; readonly table: number; readonly fd: number; readonly file: number; readonly closeOnExec: boolean }
  /** Where in the file the next byte is read or written; of a pipe: how many bytes are in it. */
  | { readonly op: 'position'; readonly file: number; readonly position: number }
  /** A system call waits, up to a time of the guest's clock. */
  | { readonly op: 'waits'; readonly task: number; readonly deadline: number }
  /** A system call that waited has its result, which the task will see when it runs next. */
  | { readonly op: 'woken'; readonly task: number; readonly number: number; readonly result: number };
