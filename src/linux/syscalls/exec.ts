/**
 * execve: another program in the same process. Everything that can fail is tried before the old
 * program is gone; what fails after that kills the process, as on Linux.
 */
import { assert } from '../../base/assert.js';
import { E } from '../../base/errno.js';
import { UserError } from '../../base/errors.js';
import { USER_SPACE_END } from '../../base/types.js';
import { type BytePath, bytePath, bytePathFromBytes } from '../../base/bytePath.js';
import { FEATURES_EDX } from '../../machine/cpuid.js';
import { type Machine, wipe } from '../../machine/machinePool.js';
import { AT_EMPTY_PATH, AT_FDCWD, AT_SYMLINK_NOFOLLOW, S_IFLNK, S_IFMT } from '../files/fileConstants.js';
import { mayFollow } from '../files/virtualFile.js';
import { ProgramError } from '../loader/programErrors.js';
import { RLIMIT } from '../limits.js';
import { hostLoaderFiles } from '../loader/hostLoaderFiles.js';
import { readHostLayout } from '../loader/hostLayout.js';
import type { LoaderFiles } from '../loader/loaderFiles.js';
import { type LoadRequest, loadProgram } from '../loader/loadProgram.js';
import { openProgram } from '../loader/openProgram.js';
import { ProcessMemory } from '../memory/processMemory.js';
import { resolvePath } from '../paths.js';
import { nameOfProgram, type Process } from '../process.js';
import { leaveMachine } from '../processes/endProcess.js';
import { machineOf } from '../processes/forkProcess.js';
import { SIG } from '../../base/signalNumbers.js';
import type { SyscallFamily, SyscallResult } from '../syscall.js';
import { endTask } from '../tasks/endTask.js';
import { GuestMachine } from '../tasks/machine.js';

const POINTER_SIZE = 8;
/** MAX_ARG_STRLEN: 32 pages. */
const LONGEST_ARGUMENT = 131_072;
/** Three quarters of the usual limit of the stack. */
const MOST_ARGUMENTS = 6 * 1024 * 1024;
/** Exit status by which the loader says that a file was not there. */
const NOT_FOUND = 127;
const RANDOM_BYTES = 16;

/** A null-terminated array of strings; a number if one is too long. */
function readStrings(p: Process, address: number): Uint8Array[] | number {
  const strings: Uint8Array[] = [];
  if (address === 0) return strings;
  for (let at = address; ; at += POINTER_SIZE) {
    const pointer = p.space.readNum64(at);
    if (pointer === 0) return strings;
    const text = p.space.readCString(pointer, LONGEST_ARGUMENT);
    if (text.length === LONGEST_ARGUMENT) return -E['2BIG'];
    strings.push(text);
  }
}

/** Bytes that strings and the pointers to them take. */
function sizeOnStack(strings: readonly Uint8Array[]): number {
  return strings.reduce((sum, text) => sum + text.length + 1 + POINTER_SIZE, 0);
}

/** A quarter of the stack, within bounds. */
function mostArguments(p: Process): number {
  return Math.max(LONGEST_ARGUMENT, Math.min(p.limits.soft(RLIMIT.STACK) / 4, MOST_ARGUMENTS));
}

/** The host's files as this process names them: relative to its working directory, its own /proc/self. */
function filesOf(p: Process): LoaderFiles {
  const inner = hostLoaderFiles(p.host.files);
  const exe = bytePath(`/proc/${p.pid}/exe`);
  const openPath = p.exeFile?.openPath;
  const located = (path: string): string | number => {
    const place = resolvePath(p, AT_FDCWD, bytePath(path), 'yes');
    if (typeof place === 'number') return place;
    if (place.kind === 'host') return place.path;
    const { node } = place;
    if (node.kind !== 'link' || node.node !== undefined || !mayFollow(p, node)) return -E.ACCES;
    // Its memory, which has the file open, may be gone by now.
    if (node.path === exe && openPath !== undefined) return openPath;
    return node.file?.hostFd === undefined ? node.target : p.host.files.pathOfFd(node.file.hostFd);
  };
  return {
    stat(path) {
      const where = located(path);
      return typeof where === 'number' ? where : inner.stat(where);
    },
    open(path) {
      const where = located(path);
      return typeof where === 'number' ? where : inner.open(where);
    },
  };
}

/** 0 if the program can be loaded, as far as one can tell without loading it. */
function check(files: LoaderFiles, path: BytePath, argv: readonly Uint8Array[]): number {
  const facts = files.stat(path);
  if (typeof facts === 'number') return facts;
  if (facts.kind !== 'file' || !facts.executable) return -E.ACCES;
  try {
    const opened = openProgram(files, path, argv);
    opened.elf.checkLoadable();
    opened.file.mappable.release?.();
    const { interpreter } = opened.elf;
    return interpreter === undefined || typeof files.stat(interpreter) !== 'number' ? 0 : -E.NOENT;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    if (error instanceof ProgramError) return -error.errno;
    return error.exitCode === NOT_FOUND ? -E.NOENT : -E.NOEXEC;
  }
}

/** The old program is gone: its memory, its other threads, and what does not outlive it. */
function dismantle(p: Process, another: Machine | undefined): void {
  for (const task of [...p.tasks]) if (task !== p.task) endTask(task, false);
  p.becomeLeader(p.task);
  moveToEmptyMachine(p, another);
  if (p.files.isShared) p.unshareFiles();
  for (const fd of p.files.numbers()) if (p.files.closeOnExec(fd)) p.files.close(fd);
  p.credentials.settleForExec();
  p.signals.resetForExec();
  p.task.clearChildTid = 0;
  p.task.robustList = { head: 0, length: 0 };
  p.family.hasExecuted = true;
}

/** A machine that no other process uses is emptied; otherwise the process leaves it for another one. */
function moveToEmptyMachine(p: Process, another: Machine | undefined): void {
  const { engine } = p.machine;
  if (another === undefined) {
    emptyMachine(p);
    return;
  }
  assert(engine.another !== undefined, 'who shares memory has an engine that can make others');
  const { cpu, space, linear } = another;
  const own = new GuestMachine(cpu, space, engine.another(linear, cpu, space));
  leaveMachine(p);
  own.adopt(p.task);
  p.machine = own;
  p.signals.cpu = cpu;
  p.signals.space = space;
}

function emptyMachine(p: Process): void {
  const { engine } = p.machine;
  if (engine.restart === undefined) {
    p.memory.munmap(0, USER_SPACE_END);
    p.space.reserved = [];
    return;
  }
  p.memory.close();
  wipe(machineOf(p.machine));
  engine.restart();
}

function build(p: Process, files: LoaderFiles, request: LoadRequest): void {
  const { hugePages } = p.memory;
  const image = loadProgram(p.space, p.cpu, files, request);
  p.become({
    memory: new ProcessMemory(p.space, {
      brkStart: image.brkStart,
      mmapBase: image.layout.mmapBase,
      hugePages,
      sharedObjects: p.world.sharedObjects,
      dataLimit: () => p.limits.soft(RLIMIT.DATA),
      spaceLimit: () => p.limits.soft(RLIMIT.AS),
    }),
    exe: bytePath(image.exePath),
    argv: image.argv.map(bytePathFromBytes),
    environment: request.envp.map(bytePathFromBytes),
    auxv: image.stack.auxv,
    places: image.places,
  });
  p.name = nameOfProgram(bytePath(request.path));
  p.world.witness?.programStarted(p);
  p.world.interceptor?.programStarted(p);
}

function loadRequest(p: Process, path: BytePath, argv: readonly Uint8Array[], envp: readonly Uint8Array[]): LoadRequest {
  const random16 = new Uint8Array(RANDOM_BYTES);
  p.host.random(random16);
  const { user, group } = p.credentials;
  return {
    path, argv, envp, random16,
    hwcap: FEATURES_EDX,
    vdsoPages: readHostLayout(p.host).vdsoPages,
    stackLimit: p.limits.soft(RLIMIT.STACK),
    uid: user.real, euid: user.effective, gid: group.real, egid: group.effective,
  };
}

function isLink(p: Process, dirFd: number, path: BytePath): boolean {
  const place = resolvePath(p, dirFd, path);
  if (typeof place === 'number' || place.kind !== 'host') return false;
  const stat = p.host.files.stat(place.path, false);
  return typeof stat !== 'number' && (stat.mode & S_IFMT) === S_IFLNK;
}

function execute(p: Process, path: BytePath, argvAt: number, envpAt: number): SyscallResult {
  const argv = readStrings(p, argvAt);
  const envp = readStrings(p, envpAt);
  if (typeof argv === 'number') return argv;
  if (typeof envp === 'number') return envp;
  // Programs rely on argv[0]; Linux supplies an empty one too.
  const args = argv.length === 0 ? [new Uint8Array(0)] : argv;
  const files = filesOf(p);
  const problem = check(files, path, args);
  if (problem !== 0) return problem;
  if (sizeOnStack(args) + sizeOnStack(envp) > mostArguments(p)) return -E['2BIG'];
  const another = p.machine.users > 1 ? p.world.machines.take() : undefined;
  if (p.machine.users > 1 && another === undefined) return -E.NOMEM;
  const { exeFile } = p;
  exeFile?.retain?.();
  dismantle(p, another);
  try {
    build(p, files, loadRequest(p, path, args, envp));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    p.killedBy(SIG.KILL);
  } finally {
    exeFile?.release?.();
  }
  return 'noreturn';
}

export const execCalls: SyscallFamily = {
  execve(p, a) {
    const path = p.readPath(a.addr(0));
    return typeof path === 'number' ? path : execute(p, path, a.addr(1), a.addr(2));
  },

  execveat(p, a) {
    const [dirFd, flags] = [a.int(0), a.uint(4)];
    const path = p.readPath(a.addr(1));
    if (typeof path === 'number') return path;
    if ((flags & ~(AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW)) !== 0) return -E.INVAL;
    if ((flags & AT_SYMLINK_NOFOLLOW) !== 0 && isLink(p, dirFd, path)) return -E.LOOP;
    if (path !== '' && (dirFd === AT_FDCWD || path.startsWith('/'))) return execute(p, path, a.addr(2), a.addr(3));
    if (path === '' && (flags & AT_EMPTY_PATH) === 0) return -E.NOENT;
    if (p.files.get(dirFd) === undefined) return -E.BADF;
    return execute(p, bytePath(path === '' ? `/dev/fd/${dirFd}` : `/dev/fd/${dirFd}/${path}`), a.addr(2), a.addr(3));
  },
};
