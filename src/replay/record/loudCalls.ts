/** Which system calls change what a kernel knows of a process beside its memory: after them it is looked at again. */
import { SYSCALL_NAMES } from '../../base/syscallNames.js';

export const CHANGES = { PROCESS: 1, TASK: 2, FILE: 4, EVERYBODY: 8 } as const;

const PROCESS_CALLS = [
  'chdir', 'fchdir', 'umask', 'setuid', 'setgid', 'setreuid', 'setregid', 'setresuid', 'setresgid', 'setgroups', 'setfsuid', 'setfsgid',
  'setpgid', 'setsid', 'capset', 'prctl', 'personality', 'setrlimit', 'prlimit64', 'rt_sigaction', 'setitimer', 'alarm',
  'timer_create', 'timer_settime', 'timer_delete', 'brk', 'execve', 'execveat', 'unshare', 'close_range', 'clone', 'clone3', 'fork', 'vfork',
  'rt_sigtimedwait', 'rt_sigreturn', 'membarrier',
];
const TASK_CALLS = [
  'rt_sigprocmask', 'rt_sigreturn', 'rt_sigsuspend', 'rt_sigtimedwait', 'sigaltstack', 'set_tid_address', 'set_robust_list', 'prctl',
  'sched_setparam', 'sched_setscheduler', 'sched_setattr', 'sched_setaffinity', 'setpriority', 'execve', 'execveat',
];
/** The first argument is a file whose flags or the like change. */
const FILE_CALLS = ['fcntl', 'fchmod', 'ioctl', 'epoll_ctl', 'timerfd_settime', 'signalfd4', 'epoll_wait', 'epoll_pwait', 'epoll_pwait2', 'shutdown', 'bind', 'listen', 'connect', 'accept', 'accept4', 'setsockopt', 'getsockopt'];
/** They send signals to others, or change others. */
const EVERYBODY_CALLS = ['kill', 'tkill', 'tgkill', 'rt_sigqueueinfo', 'rt_tgsigqueueinfo', 'pidfd_send_signal', 'wait4', 'waitid', 'setpgid', 'prlimit64'];

/** Arguments that are files whose position moves. */
const MOVED: Readonly<Record<string, readonly number[]>> = {
  read: [0], write: [0], readv: [0], writev: [0], preadv2: [0], pwritev2: [0], lseek: [0], getdents: [0], getdents64: [0],
  sendfile: [0, 1], copy_file_range: [0, 2], splice: [0, 2], tee: [0, 1], vmsplice: [0],
  sendto: [0], recvfrom: [0], sendmsg: [0], recvmsg: [0], sendmmsg: [0], recvmmsg: [0],
};

/** The argument that is a file whose contents change. */
const CONTENTS: Readonly<Record<string, number>> = {
  write: 0, pwrite64: 0, writev: 0, pwritev: 0, pwritev2: 0, ftruncate: 0, fallocate: 0, sendfile: 0, splice: 2, copy_file_range: 2,
};

function bitsOf(name: string | undefined): number {
  const has = (names: readonly string[], bit: number): number => (name !== undefined && names.includes(name) ? bit : 0);
  return has(PROCESS_CALLS, CHANGES.PROCESS) | has(TASK_CALLS, CHANGES.TASK) | has(FILE_CALLS, CHANGES.FILE) | has(EVERYBODY_CALLS, CHANGES.EVERYBODY);
}

const BITS = Uint8Array.from(SYSCALL_NAMES, bitsOf);
const CONTENTS_BY_NUMBER = SYSCALL_NAMES.map((name) => (name === undefined ? undefined : CONTENTS[name]));
const MOVED_BY_NUMBER = SYSCALL_NAMES.map((name) => (name === undefined ? undefined : MOVED[name]));

export function changesOf(call: number): number {
  return BITS[call] ?? 0;
}

/** Which of its arguments are such files. */
export function filesMovedBy(call: number): readonly number[] | undefined {
  return MOVED_BY_NUMBER[call];
}

/** Which of its arguments is the file that it writes to. */
export function fileWrittenBy(call: number): number | undefined {
  return CONTENTS_BY_NUMBER[call];
}
