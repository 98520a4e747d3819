/**
 * One guest process as the kernel sees it. Plain state, wired by the code that starts the program; the
 * system calls are functions over it (syscalls/).
 */
import { E } from '../base/errno.js';
import type { BytePath } from '../base/bytePath.js';
import { bytePath, bytePathFromBytes } from '../base/bytePath.js';
import type { Host, HostFd } from '../host/host.js';
import { type AddressSpace, BadAddress } from '../machine/addressSpace.js';
import type { Cpu } from '../machine/cpu.js';
import type { MappableFile } from '../machine/mapping.js';
import { Credentials } from './credentials.js';
import { FdTable } from './files/fdTable.js';
import { O, PATH_MAX } from './files/fileConstants.js';
import { inheritedFile } from './files/openHostFile.js';
import type { OpenFile } from './files/openFile.js';
import { Limits, RLIMIT } from './limits.js';
import type { ProgramPlaces } from './loader/programPlaces.js';
import type { ProcessMemory } from './memory/processMemory.js';
import { Family } from './processes/family.js';
import type { SigInfo } from './signals/siginfo.js';
import type { SignalState } from './signals/signalState.js';
import { IoCounters } from './tasks/ioCounters.js';
import type { GuestMachine } from './tasks/machine.js';
import { Task } from './tasks/task.js';
import type { VirtualClock } from './tasks/virtualClock.js';
import type { World } from './world.js';

export type ExitStatus =
  | { readonly kind: 'exited'; readonly code: number }
  /** The registers stay as the signal found them. Without `info`: our kernel saw no other way. */
  | { readonly kind: 'signaled'; readonly signal: number; readonly coreDumped: false; readonly info?: SigInfo };

/** What a process has from the program it runs: execve exchanges it. */
interface ProgramState {
  readonly memory: ProcessMemory;
  /** Absolute path of the program. */
  readonly exe: BytePath;
  readonly argv: readonly BytePath[];
  readonly environment: readonly BytePath[];
  /** The bytes of the auxiliary vector, for /proc/self/auxv. */
  readonly auxv: Uint8Array;
  /** Not known of a program that began elsewhere. */
  readonly places?: ProgramPlaces | undefined;
}

interface ProcessOptions extends ProgramState {
  /**
   * The path by which the program was started, where it is not `exe` (a link, a script): it gives the process its name.
   */
  readonly startedAs?: BytePath;
  readonly world: World;
  readonly machine: GuestMachine;
  readonly signals: SignalState;
  /** Tell the user about system calls we lack. */
  readonly verbose: boolean;
  /** Where it comes from; without it, it is the first process. */
  readonly origin?: ProcessOrigin;
}

/** How a process came to be that another one made. */
interface ProcessOrigin {
  /** Who made it: it starts with what that one has. */
  readonly maker: Process;
  /** Its parent, if it has one in the guest: the maker or (CLONE_PARENT) the maker's parent. */
  readonly parent: Process | undefined;
  readonly pid: number;
  /** CLONE_FILES. */
  readonly sharesFiles: boolean;
  /** Its registers, if it runs in a machine whose registers are another task's now. */
  readonly registers?: Uint8Array;
}

/** Where relative paths start. Without a descriptor: where the host's own relative paths start. */
export interface WorkingDirectory {
  readonly fd: HostFd | undefined;
  /** Where it was when the process came there. */
  readonly path: BytePath;
  /** A directory that only we have: `path` is all there is of it. */
  readonly isVirtual?: boolean;
}

const NAME_LENGTH = 15;
const STDOUT = 1;
const STDERR = 2;

export class Process {
  readonly world: World;
  readonly host: Host;
  readonly signals: SignalState;
  /** The address space it runs in. A child of vfork leaves its parent's for one of its own. */
  machine: GuestMachine;
  /** Its threads that have not ended, the main one first. */
  readonly tasks: Task[] = [];
  /** The main thread: the process is called by its number, also when it has ended before the others. */
  leader: Task;
  readonly verbose: boolean;

  readonly pid: number;
  readonly family: Family;
  readonly credentials: Credentials;
  readonly limits: Limits;
  files: FdTable;
  /** When it began, in clock.now(). */
  readonly startTime: number;
  workingDirectory: WorkingDirectory;
  umask: number;
  personality = 0;
  dumpable = 1;
  noNewPrivileges = 0;
  timerSlack = 50_000;
  /** How ready the kernel is to kill it when memory is short; unless a process has set it, it is the host's. */
  oomAdjustment: number | undefined;
  /** Which kinds of memory a core dump would have. */
  coreFilter = 0x33;
  parentDeathSignal = 0;
  private currentTask: Task;
  /** How many system calls its threads have made. */
  systemCalls = 0;
  /** Instructions that threads have retired which are gone. */
  endedInstructions = 0;
  /** What they have read and written. */
  readonly endedIo = new IoCounters();
  private program: ProgramState;
  /** Set once the process has ended. */
  exitStatus: ExitStatus | undefined;

  constructor(options: ProcessOptions) {
    const { world } = options;
    const { host } = world;
    this.world = world;
    this.host = host;
    this.machine = options.machine;
    this.program = options;
    this.signals = options.signals;
    this.verbose = options.verbose;
    const { origin } = options;
    const maker = origin?.maker;
    this.pid = origin?.pid ?? host.identity.pid;
    this.family = new Family(origin?.parent, maker?.family.parentPid ?? host.identity.parentPid);
    this.credentials = maker?.credentials.copy() ?? new Credentials(host.identity);
    this.limits = maker?.limits.copy() ?? new Limits(host.system.limits());
    const descriptorLimit = (): number => this.limits.soft(RLIMIT.NOFILE);
    if (origin?.sharesFiles === true) this.files = origin.maker.files.share();
    else this.files = maker?.files.copy(descriptorLimit) ?? new FdTable(descriptorLimit);
    this.startTime = world.clock.now();
    this.workingDirectory = { fd: undefined, path: host.files.workingDirectory() };
    this.umask = maker?.umask ?? host.files.initialUmask();
    this.leader = new Task(this.pid, this, maker?.task.name ?? nameOfProgram(options.startedAs ?? options.exe));
    this.currentTask = this.leader;
    if (maker !== undefined) this.leader.scheduling = maker.task.scheduling.copy();
    this.addTask(this.leader);
    this.actFor(this.leader);
    if (origin?.registers === undefined) this.machine.adopt(this.leader);
    else this.leader.registers.set(origin.registers);
    if (maker === undefined) this.inheritFiles();
    else this.inheritFrom(maker);
  }

  get parentPid(): number {
    return this.family.parentPid;
  }

  get cpu(): Cpu {
    return this.machine.cpu;
  }

  get space(): AddressSpace {
    return this.machine.space;
  }

  get clock(): VirtualClock {
    return this.world.clock;
  }

  /** The task that makes the system call. */
  get task(): Task {
    return this.currentTask;
  }

  /** As /proc/self/comm shows it. */
  get name(): BytePath {
    return this.leader.name;
  }

  set name(name: BytePath) {
    this.leader.name = name;
  }

  get tid(): number {
    return this.currentTask.tid;
  }

  /** From now on what the process does is done by `task`. */
  actFor(task: Task): void {
    this.currentTask = task;
    this.signals.thread = task.signals;
    const { acting } = this.world;
    if (acting === this) return;
    acting?.memory.sharedFiles.publish();
    this.world.acting = this;
  }

  addTask(task: Task): void {
    this.tasks.push(task);
    this.signals.threads.push(task.signals);
  }

  /** The task has ended. */
  removeTask(task: Task): void {
    this.tasks.splice(this.tasks.indexOf(task), 1);
    this.signals.threads.splice(this.signals.threads.indexOf(task.signals), 1);
    this.endedInstructions += task.instructions;
    this.endedIo.plus(task.io);
  }

  /** execve: the one task that is left is the main one from now on, whichever it was. */
  becomeLeader(task: Task): void {
    task.tid = this.pid;
    task.name = this.leader.name;
    this.leader = task;
  }

  /** execve: descriptors that it shared with another process are its own from now on. */
  unshareFiles(): void {
    this.files.leave();
    this.files = this.files.copy(() => this.limits.soft(RLIMIT.NOFILE));
  }

  /** Processor time of all its threads, in nanoseconds. */
  get cpuTime(): number {
    return this.tasks.reduce((sum, task) => sum + task.instructions, this.endedInstructions);
  }

  get memory(): ProcessMemory {
    return this.program.memory;
  }

  get exe(): BytePath {
    return this.program.exe;
  }

  /** The file that it runs, open, unless the program has unmapped it. */
  get exeFile(): MappableFile | undefined {
    return this.space.mappings().find(({ name, file }) => file !== undefined && name === this.exe)?.file;
  }

  get argv(): readonly BytePath[] {
    return this.program.argv;
  }

  get environment(): readonly BytePath[] {
    return this.program.environment;
  }

  get auxv(): Uint8Array {
    return this.program.auxv;
  }

  get places(): ProgramPlaces | undefined {
    return this.program.places;
  }

  /** Runs another program from now on. */
  become(program: ProgramState): void {
    this.program = program;
  }

  /** A path argument: EFAULT if unreadable (thrown), ENAMETOOLONG as a number if it does not end in time. */
  readPath(address: number): BytePath | number {
    const bytes = this.space.readCString(address, PATH_MAX);
    return bytes.length >= PATH_MAX ? -E.NAMETOOLONG : bytePathFromBytes(bytes);
  }

  /** The bytes of a buffer that the guest can read or write: all of it, or as far as it is mapped. */
  buffer(address: number, length: number, access: 'read' | 'write'): Uint8Array {
    try {
      return this.space.view(address, length, access);
    } catch (error) {
      if (!(error instanceof BadAddress) || error.address <= address) throw error;
      return this.space.view(address, error.address - address, access);
    }
  }

  /** For files that exist only in the guest. */
  takeInode(): bigint {
    return this.world.takeInode();
  }

  exit(code: number): void {
    this.exitStatus ??= { kind: 'exited', code: code & 0xff };
  }

  killedBy(signal: number, info?: SigInfo): void {
    this.exitStatus ??= { kind: 'signaled', signal, coreDumped: false, ...(info === undefined ? {} : { info }) };
  }

  private inheritFrom(maker: Process): void {
    const { files } = this.host;
    const { fd, path, isVirtual } = maker.workingDirectory;
    // A descriptor of its own: each process closes its own when it goes elsewhere.
    const own = fd === undefined ? undefined : files.open(files.pathOfFd(fd), O.PATH | O.DIRECTORY | O.CLOEXEC, 0);
    this.workingDirectory = { fd: own as HostFd | undefined, path, ...(isVirtual === undefined ? {} : { isVirtual }) };
    this.personality = maker.personality;
    this.dumpable = maker.dumpable;
    this.noNewPrivileges = maker.noNewPrivileges;
    this.timerSlack = maker.timerSlack;
    this.oomAdjustment = maker.oomAdjustment;
    this.coreFilter = maker.coreFilter;
  }

  /** What is written there is what the user saw of the run. */
  private observeOutput(fd: number, file: OpenFile): void {
    const { witness } = this.world;
    if (witness === undefined) return;
    const observed = <A extends unknown[]>(write: (bytes: Uint8Array, ...rest: A) => number) => (bytes: Uint8Array, ...rest: A): number => {
      const count = write(bytes, ...rest);
      if (count > 0) witness.output(fd, bytes.subarray(0, count));
      return count;
    };
    file.write = observed(file.write.bind(file));
    file.writeAt = observed(file.writeAt.bind(file));
  }

  private inheritFiles(): void {
    for (const fd of this.host.files.inherited()) {
      const file = inheritedFile(this.host, fd === STDOUT ? (this.world.stdout ?? fd) : fd);
      if (file === undefined) continue;
      if (fd === STDOUT || fd === STDERR) this.observeOutput(fd, file);
      this.files.replace(fd, file, false);
    }
  }
}

export function nameOfProgram(exe: BytePath): BytePath {
  return bytePath(exe.slice(exe.lastIndexOf('/') + 1, exe.lastIndexOf('/') + 1 + NAME_LENGTH));
}
