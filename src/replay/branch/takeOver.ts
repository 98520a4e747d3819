/**
 * Puts a kernel of our own under the processes of a recording: address spaces, engines and registers are those that the
 * player has, everything else is what the ledger says.
 */
import { assert } from '../../base/assert.js';
import { bytePath } from '../../base/bytePath.js';
import type { Host, HostFd } from '../../host/host.js';
import { O } from '../../linux/files/fileConstants.js';
import { MEMFD_DEVICE } from '../../linux/files/memFd.js';
import { RLIMIT } from '../../linux/limits.js';
import { ProcessMemory } from '../../linux/memory/processMemory.js';
import { ANONYMOUS_DEVICE } from '../../linux/memory/sharedObjects.js';
import { Process, type WorkingDirectory } from '../../linux/process.js';
import { continueProcess, stopProcess } from '../../linux/processes/stopping.js';
import { processClock } from '../../linux/signals/processClock.js';
import { timerClock } from '../../linux/signals/timerCalls.js';
import type { PendingSignals } from '../../linux/signals/pendingSignals.js';
import { SI } from '../../linux/signals/siginfo.js';
import { SignalState } from '../../linux/signals/signalState.js';
import { GuestMachine } from '../../linux/tasks/machine.js';
import { Task } from '../../linux/tasks/task.js';
import type { World } from '../../linux/world.js';
import { PROT } from '../../machine/mapping.js';
import type { ZombieFacts } from '../log/kernelFacts.js';
import type { PlayedSpace } from '../play/playedSpace.js';
import type { PlayedWorld } from '../play/playedWorld.js';
import { BranchFdTable } from './branchFiles.js';
import type { BranchRecorder } from './branchRecorder.js';
import type { FileMaker } from './fileMaker.js';
import type { Ledger, LedgerProcess, LedgerTask } from '../log/ledger.js';
import { Unsupported } from './unsupported.js';

interface TakenOver {
  readonly tasks: ReadonlyMap<number, Task>;
  readonly machines: ReadonlyMap<PlayedSpace, GuestMachine>;
}

export class TakeOver {
  private readonly machines = new Map<PlayedSpace, GuestMachine>();
  private readonly memories = new Map<PlayedSpace, ProcessMemory>();
  private readonly processes = new Map<number, Process>();
  private readonly tasks = new Map<number, Task>();
  private readonly tables = new Map<number, BranchFdTable>();

  constructor(
    private readonly world: World,
    private readonly played: PlayedWorld,
    private readonly ledger: Ledger,
    private readonly files: FileMaker,
    /** Who is told what the recording calls everything. */
    private readonly recorder?: BranchRecorder,
  ) {}

  /** The world has all processes afterwards, with their tasks as the recording left them. */
  run(): TakenOver {
    const { ledger, world } = this;
    this.skipNumbers();
    const processes = [...ledger.processes.values()];
    // Parents first: a child begins with what its parent has.
    for (const known of processes) this.makeProcess(known);
    for (const { id, facts } of processes) for (const zombie of facts.zombies) this.addZombie(this.processes.get(id) as Process, zombie);
    for (const process of this.processes.values()) world.add(process);
    for (const known of processes) this.setFiles(known);
    return { tasks: this.tasks, machines: this.machines };
  }

  private skipNumbers(): void {
    const { world, ledger, played } = this;
    while (world.takeTid() < ledger.largestTid);
    const inodes = [...ledger.files.values()].map(({ facts }) => (facts.kind === 'pipe' ? facts.pipe : facts.kind === 'memory' || facts.kind === 'stream' ? facts.inode : 0));
    const largest = Math.max(0, ...inodes);
    if (largest > 0) while (Number(world.takeInode()) < largest);
    for (const { machine } of played.spaces.values()) {
      for (const m of machine.space.mappings()) if (m.shared && m.device === ANONYMOUS_DEVICE) world.sharedObjects.skipInodes(m.inode);
    }
  }

  private makeProcess(known: LedgerProcess): void {
    const { facts, program, id } = known;
    const tasks = [...this.ledger.tasks.values()].filter((task) => task.facts.process === id);
    const [someone] = tasks;
    if (someone === undefined) throw new Unsupported(`process ${facts.pid} has no threads`);
    const space = this.spaceOf(someone);
    const machine = this.machineOf(space);
    const parent = this.processes.get(facts.parent);
    const maker = parent ?? [...this.processes.values()][0];
    const { position } = this.world.clock;
    this.world.clock.position = { ...position, elapsed: facts.startTime };
    const process: Process = new Process({
      world: this.world, machine, verbose: false,
      memory: this.memoryOf(space, known, () => process),
      signals: new SignalState(machine.cpu, machine.space, processClock(() => process), {
        sender: { pid: facts.pid, uid: facts.user.real },
        onStop: (signal) => stopProcess(process, signal),
        onContinue: (signal) => continueProcess(process, signal),
        onDelivered: (info, handled) => this.recorder?.signalDelivered(process, info, handled),
        outlives: (signal) => this.world.guard?.outlives(signal) === true,
      }),
      exe: bytePath(program.exe), argv: program.argv.map(bytePath), environment: program.environment.map(bytePath), auxv: Uint8Array.from(program.auxv),
      ...(maker === undefined ? {} : { origin: { maker, parent, pid: facts.pid, sharesFiles: false } }),
    });
    this.world.clock.position = position;
    assert(process.pid === facts.pid, 'the first process has the number that the world gives it');
    machine.unload(process.leader);
    this.processes.set(id, process);
    this.recorder?.knows(process, id);
    this.setProcess(process, known);
    for (const task of tasks) this.addTask(process, task);
    setPosixTimers(process, facts);
    if (!tasks.some((task) => task.facts.isLeader)) endLeader(process, known.leaderCode ?? 0);
    if (parent !== undefined) parent.family.children.push(process);
  }

  /** It has ended, but its parent may still ask how. */
  private addZombie(parent: Process, { pid, code, signal, exitSignal, processGroup, cpuTime, peakBytes }: ZombieFacts): void {
    const { world, machine, memory, exe, argv, environment, auxv } = parent;
    const zombie = new Process({
      world, machine, memory, exe, argv, environment, auxv, verbose: false,
      signals: new SignalState(machine.cpu, machine.space, processClock(() => zombie)),
      origin: { maker: parent, parent, pid, sharesFiles: false, registers: parent.leader.registers },
    });
    zombie.removeTask(zombie.leader);
    zombie.endedInstructions = cpuTime;
    zombie.credentials.processGroup = processGroup;
    Object.assign(zombie.family, { exitSignal, peakBytes });
    zombie.exitStatus = signal === 0 ? { kind: 'exited', code } : { kind: 'signaled', signal, coreDumped: false };
    parent.family.children.push(zombie);
    parent.actFor(parent.leader);
  }

  private spaceOf({ id, facts }: LedgerTask): PlayedSpace {
    const space = this.played.spaces.get(this.played.tasks.get(id)?.space ?? 0);
    if (space === undefined) throw new Unsupported(`thread ${facts.tid} has not been seen`);
    return space;
  }

  /** Processes between vfork and execve share one. */
  private machineOf(space: PlayedSpace): GuestMachine {
    const known = this.machines.get(space);
    if (known !== undefined) {
      known.users++;
      return known;
    }
    space.unload();
    const machine = new GuestMachine(space.machine.cpu, space.machine.space, space.engine);
    this.machines.set(space, machine);
    return machine;
  }

  private memoryOf(played: PlayedSpace, { facts, program }: LedgerProcess, process: () => Process): ProcessMemory {
    const known = this.memories.get(played);
    if (known !== undefined) return known;
    const { space } = played.machine;
    played.shared.flushAll();
    const memory = new ProcessMemory(space, {
      brkStart: program.brkStart, mmapBase: program.mmapBase, hugePages: program.hugePages, brk: facts.brk, sharedObjects: this.world.sharedObjects,
      dataLimit: () => process().limits.soft(RLIMIT.DATA), spaceLimit: () => process().limits.soft(RLIMIT.AS),
    });
    space.reserved = program.reserved;
    for (const m of space.mappings()) {
      if (!m.shared) continue;
      if (m.device !== ANONYMOUS_DEVICE && m.device !== MEMFD_DEVICE && (m.prot & PROT.WRITE) !== 0) this.files.connect(m);
      memory.sharedFiles.note(m);
    }
    this.memories.set(played, memory);
    return memory;
  }

  private setProcess(p: Process, { facts, endedInstructions }: LedgerProcess): void {
    const { umask, personality, dumpable, noNewPrivileges, timerSlack, parentDeathSignal } = facts;
    Object.assign(p, { umask, personality, dumpable, noNewPrivileges, timerSlack, parentDeathSignal, endedInstructions });
    const { user, group, groups, processGroup, session, keepsCapabilities } = facts;
    Object.assign(p.credentials.user, user);
    Object.assign(p.credentials.group, group);
    Object.assign(p.credentials, { groups, processGroup, session, keepsCapabilities });
    facts.limits.forEach(({ soft, hard }, resource) => p.limits.set(resource, { soft: soft ?? Infinity, hard: hard ?? Infinity }, true));
    const { exitSignal, isSubreaper, hasExecuted, stoppedBy, holdsParent, outsideParent, childrenTime, childrenPeakBytes } = facts;
    Object.assign(p.family, { exitSignal, isSubreaper, hasExecuted, stoppedBy, holdsParent, outsideParent, childrenTime, childrenPeakBytes });
    p.machine.registeredBarriers = facts.registeredBarriers;
    this.setSignals(p, facts);
    p.workingDirectory = workingDirectory(p.host, facts.workingDirectory);
  }

  private setSignals({ signals }: Process, facts: LedgerProcess['facts']): void {
    const { actions, timers, pending } = signals.process;
    for (const { signal, handler, flags, restorer, mask } of facts.actions) {
      actions.set(signal, { handler: BigInt(handler), flags, restorer: BigInt(restorer), mask: BigInt(mask) });
    }
    facts.intervalTimers.forEach(({ deadline, interval }, kind) => timers.intervalTimer(kind as 0 | 1 | 2).arm(deadline ?? undefined, interval));
    timers.noteArmed();
    addPending(pending, facts.pending);
  }

  private addTask(process: Process, known: LedgerTask): void {
    const { facts, id, instructions } = known;
    const played = this.played.tasks.get(id);
    assert(played !== undefined, 'its space was found');
    const isLeader = facts.isLeader;
    const task = isLeader ? process.leader : new Task(facts.tid, process, bytePath(facts.name));
    if (!isLeader) process.addTask(task);
    task.name = bytePath(facts.name);
    new Uint32Array(task.registers.buffer).set(played.words);
    const { policy, priority, nice, resetOnFork, affinity } = facts.scheduling;
    Object.assign(task.scheduling, { policy, priority, nice, resetOnFork, affinity: affinity === null ? undefined : BigInt(affinity) });
    Object.assign(task, { clearChildTid: facts.clearChildTid, robustList: facts.robustList, instructions });
    task.signals.blocked = BigInt(facts.blocked);
    task.signals.altStack.current = facts.altStack;
    addPending(task.signals.pending, facts.pending);
    this.tasks.set(id, task);
    this.recorder?.knowsTask(task, id, played.space);
  }

  private setFiles({ facts, id }: LedgerProcess): void {
    const process = this.processes.get(id) as Process;
    const shared = this.tables.get(facts.table);
    if (shared !== undefined) {
      process.files = shared.share();
      return;
    }
    const table = new BranchFdTable(() => process.limits.soft(RLIMIT.NOFILE));
    process.files = table;
    this.tables.set(facts.table, table);
    for (const [fd, { file, closeOnExec }] of this.ledger.tables.get(facts.table) ?? []) {
      table.replace(fd, this.files.file(process, file), closeOnExec);
    }
  }
}

/** Signals that they have sent and that have not been taken yet they send again. */
function setPosixTimers(p: Process, { posixTimers, nextTimer = 0, pid }: LedgerProcess['facts']): void {
  const { timers } = p.signals.process;
  if (typeof posixTimers === 'number') {
    if (posixTimers > 0) throw new Unsupported(`process ${pid} has timers made by timer_create, and the recording does not say which`);
    return;
  }
  timers.nextId = nextTimer;
  for (const { id, clock: clockId, signal, value, target, deadline, interval, overrun } of posixTimers) {
    const clock = timerClock(p, clockId);
    if (typeof clock === 'number') throw new Unsupported(`process ${pid} has a timer that counts the time of a thread that has ended`);
    const receiver = target > 0 ? p.tasks.find(({ tid }) => tid === target)?.signals : undefined;
    timers.create({ ...clock, signal: target < 0 ? 0 : signal, target: receiver, ...(value === null ? {} : { value: BigInt(value) }) }, id);
    const timer = timers.find(id);
    timer?.arm(deadline ?? undefined, interval);
    Object.assign(timer ?? {}, { overrun });
  }
  timers.noteArmed();
}

/** Its first thread has ended before the others. */
function endLeader(process: Process, code: number): void {
  const { leader } = process;
  Object.assign(leader, { ended: true, exitCode: code });
  process.removeTask(leader);
  process.actFor(process.tasks[0] as Task);
}

function addPending(pending: PendingSignals, infos: readonly (readonly number[])[]): void {
  for (const info of infos) {
    const bytes = Uint8Array.from(info);
    const view = new DataView(bytes.buffer);
    const code = view.getInt32(8, true);
    // The timer has expired, and will send it itself.
    if (code !== SI.TIMER) pending.add({ signal: view.getInt32(0, true), code, bytes });
  }
}

/** If it is not here, it is made: in the sandbox no other program sees it. */
function workingDirectory(host: Host, path: string): WorkingDirectory {
  // Below /proc only we have directories of the guest's processes.
  if (/^\/proc\/\d+(?:\/|$)/.test(path)) return { fd: undefined, path: bytePath(path), isVirtual: true };
  const open = (): HostFd | number => host.files.open(bytePath(path), O.PATH | O.DIRECTORY | O.CLOEXEC, 0);
  let fd = open();
  if (fd < 0) {
    path.split('/').forEach((_, i, parts) => host.files.makeDirectory(bytePath(parts.slice(0, i + 1).join('/') || '/'), 0o755));
    fd = open();
  }
  if (fd < 0) throw new Unsupported(`its working directory ${path} is not here`);
  return { fd: fd as HostFd, path: bytePath(path) };
}
