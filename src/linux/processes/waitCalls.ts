/** wait4 and waitid. */
import { E } from '../../base/errno.js';
import type { ExitStatus, Process } from '../process.js';
import { CLD, type ChildReport, childInfo } from '../signals/siginfo.js';
import { SIG } from '../../base/signalNumbers.js';
import type { SyscallFamily, SyscallResult } from '../syscall.js';
import type { SyscallArgs } from '../syscallArgs.js';
import { waitUntil } from '../waiting.js';
import { PidFile } from './pidFile.js';
import { writeUsage } from './usage.js';

const W = {
  NOHANG: 1, UNTRACED: 2, STOPPED: 2, EXITED: 4, CONTINUED: 8, NOWAIT: 0x100_0000,
  NOTHREAD: 0x2000_0000, ALL: 0x4000_0000, CLONE: 0x8000_0000,
} as const;
const WAIT4_OPTIONS = W.NOHANG | W.UNTRACED | W.CONTINUED | W.NOTHREAD | W.ALL | W.CLONE;
const WAITID_OPTIONS = W.NOHANG | W.STOPPED | W.EXITED | W.CONTINUED | W.NOWAIT | W.NOTHREAD | W.ALL | W.CLONE;
const P = { ALL: 0, PID: 1, PGID: 2, PIDFD: 3 } as const;
const INT_MIN = -0x8000_0000;
const CONTINUED_STATUS = 0xffff;
const STOPPED_MARK = 0x7f;

interface WaitRequest {
  readonly options: number;
  readonly matches: (child: Process) => boolean;
}

/** A child with something to say. */
interface FoundChild {
  readonly child: Process;
  readonly code: number;
  readonly status: number;
}

/** The status word of wait4. */
function statusWord({ code, status }: FoundChild): number {
  if (code === CLD.EXITED) return status << 8;
  if (code === CLD.STOPPED) return (status << 8) | STOPPED_MARK;
  return code === CLD.CONTINUED ? CONTINUED_STATUS : status;
}

function endOf(status: ExitStatus): Pick<FoundChild, 'code' | 'status'> {
  return status.kind === 'exited' ? { code: CLD.EXITED, status: status.code } : { code: CLD.KILLED, status: status.signal };
}

/** Children made by clone with another signal than SIGCHLD are waited for only on request. */
function isOfKind(child: Process, options: number): boolean {
  if ((options & W.ALL) !== 0) return true;
  return (child.family.exitSignal !== SIG.CHLD) === ((options & W.CLONE) !== 0);
}

function news(p: Process, child: Process, options: number): FoundChild | undefined {
  const { family, exitStatus } = child;
  if (exitStatus !== undefined) {
    // It may have ended just now, and still be on its way out.
    return (options & W.EXITED) !== 0 && !p.world.processes.includes(child) ? { child, ...endOf(exitStatus) } : undefined;
  }
  if (family.report === 'stopped' && family.isStopped && (options & W.STOPPED) !== 0) {
    return { child, code: CLD.STOPPED, status: family.stoppedBy };
  }
  if (family.report === 'continued' && (options & W.CONTINUED) !== 0) return { child, code: CLD.CONTINUED, status: SIG.CONT };
  return undefined;
}

function find(p: Process, { options, matches }: WaitRequest): FoundChild | number {
  const children = p.family.children.filter((child) => matches(child) && isOfKind(child, options));
  if (children.length === 0) return -E.CHILD;
  for (const child of children) {
    const found = news(p, child, options);
    if (found !== undefined) return found;
  }
  return -E.AGAIN;
}

/** The parent has been told, and is not told again. */
function settle(p: Process, child: Process): void {
  if (child.exitStatus === undefined) {
    child.family.report = undefined;
    return;
  }
  p.family.forget(child);
  p.family.childrenTime += child.cpuTime + child.family.childrenTime;
  p.family.childrenPeakBytes = Math.max(p.family.childrenPeakBytes, child.family.peakBytes, child.family.childrenPeakBytes);
}

/** `tell` writes what was found; 0 stands for nothing found with WNOHANG. */
function waitForChild(p: Process, request: WaitRequest, tell: (found: FoundChild | undefined) => number): SyscallResult {
  const attempt = (): number => {
    const found = find(p, request);
    if (typeof found === 'number') return found === -E.AGAIN && (request.options & W.NOHANG) !== 0 ? tell(undefined) : found;
    const result = tell(found);
    if ((request.options & W.NOWAIT) === 0) settle(p, found.child);
    return result;
  };
  const first = attempt();
  return first === -E.AGAIN ? waitUntil(p, attempt, { describe: () => 'a child' }) : first;
}

function wait4(p: Process, a: SyscallArgs): SyscallResult {
  const [pid, statusAt, options, usageAt] = [a.int(0), a.addr(1), a.uint(2), a.addr(3)];
  if ((options & ~WAIT4_OPTIONS) !== 0) return -E.INVAL;
  if (pid === INT_MIN) return -E.SRCH;
  const group = pid === 0 ? p.credentials.processGroup : -pid;
  const matches = (child: Process): boolean =>
    pid === -1 || (pid > 0 ? child.pid === pid : child.credentials.processGroup === group);
  return waitForChild(p, { options: options | W.EXITED, matches }, (found) => {
    if (found === undefined) return 0;
    if (statusAt !== 0) p.space.writeU32(statusAt, statusWord(found));
    if (usageAt !== 0) writeUsage(p, usageAt, found.child.cpuTime + found.child.family.childrenTime, found.child.family.peakBytes);
    return found.child.pid;
  });
}

function waitid(p: Process, a: SyscallArgs): SyscallResult {
  const [kind, id, infoAt, options, usageAt] = [a.int(0), a.int(1), a.addr(2), a.uint(3), a.addr(4)];
  if ((options & ~WAITID_OPTIONS) !== 0 || (options & (W.EXITED | W.STOPPED | W.CONTINUED)) === 0) return -E.INVAL;
  if (kind === P.PIDFD) return waitForPidFile(p, a);
  if (kind < P.ALL || kind > P.PGID || (kind === P.PID && id <= 0) || (kind === P.PGID && id < 0)) return -E.INVAL;
  const group = id === 0 ? p.credentials.processGroup : id;
  const matches = (child: Process): boolean =>
    kind === P.ALL || (kind === P.PID ? child.pid === id : child.credentials.processGroup === group);
  return waitForInfo(p, { options, matches }, infoAt, usageAt);
}

function waitForInfo(p: Process, request: WaitRequest, infoAt: number, usageAt: number): SyscallResult {
  return waitForChild(p, request, (found) => {
    if (infoAt !== 0) writeInfo(p, infoAt, found);
    if (usageAt !== 0 && found !== undefined) writeUsage(p, usageAt, found.child.cpuTime + found.child.family.childrenTime, found.child.family.peakBytes);
    return 0;
  });
}

function waitForPidFile(p: Process, a: SyscallArgs): SyscallResult {
  const [fd, options] = [a.int(1), a.uint(3)];
  if (fd < 0) return -E.INVAL;
  const file = p.files.get(fd);
  if (!(file instanceof PidFile)) return -E.BADF;
  const result = waitForInfo(p, { options, matches: (child) => child === file.process }, a.addr(2), a.addr(4));
  return typeof result !== 'number' && file.nonBlocking ? -E.AGAIN : result;
}

/** As much of siginfo_t as waitid writes: without the times. */
function writeInfo(p: Process, at: number, found: FoundChild | undefined): void {
  const noChild: ChildReport = { code: 0, pid: 0, uid: 0, status: 0, nanoseconds: 0 };
  const report = found === undefined ? noChild
    : { ...noChild, code: found.code, status: found.status, pid: found.child.pid, uid: found.child.credentials.user.real };
  const { bytes } = childInfo(found === undefined ? 0 : SIG.CHLD, report);
  p.space.write(at, bytes.subarray(0, 12));
  p.space.write(at + 16, bytes.subarray(16, 28));
}

export const waitCalls: SyscallFamily = { wait4, waitid };
