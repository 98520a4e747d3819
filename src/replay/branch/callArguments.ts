/** How many arguments each system call takes: what is in the other registers is no part of what it asks. */
import { GPR, RAX, RDI, RDX, RSI, type Slot } from '../../layout/cpuState.js';
import { SYSCALL_NAMES } from '../../base/syscallNames.js';

/** By number of arguments. Calls that are not here count as having six. */
const NAMES: readonly string[] = [
  'fork vfork getpid getppid getpgrp getuid geteuid getgid getegid gettid sched_yield pause setsid sync munlockall rt_sigreturn restart_syscall vhangup inotify_init',
  'close brk exit exit_group pipe dup umask chdir fchdir rmdir unlink fsync fdatasync getpgid getsid setuid setgid setfsuid setfsgid alarm times time sysinfo uname '
    + 'personality set_tid_address epoll_create timer_delete timer_getoverrun shmdt mlockall swapoff syncfs eventfd sched_getscheduler sched_get_priority_max sched_get_priority_min',
  'stat fstat lstat munmap creat link symlink rename mkdir chmod fchmod truncate ftruncate getcwd kill dup2 nanosleep getitimer gettimeofday settimeofday getrlimit '
    + 'setrlimit getrusage listen shutdown getgroups setgroups setpgid setreuid setregid statfs fstatfs flock tkill utime utimes set_robust_list sigaltstack rt_sigsuspend rt_sigpending '
    + 'clock_gettime clock_settime clock_getres arch_prctl memfd_create eventfd2 epoll_create1 inotify_init1 pipe2 capget capset msgget mlock munlock timer_gettime '
    + 'timerfd_create timerfd_gettime sched_setparam sched_getparam sched_rr_get_interval getpriority pidfd_open inotify_rm_watch removexattr lremovexattr fremovexattr clone3 '
    + 'setdomainname sethostname umount2 mq_notify',
  'read write open poll lseek mprotect madvise mincore msync ioctl fcntl readlink chown fchown lchown socket connect accept bind getsockname getpeername sendmsg recvmsg execve '
    + 'setitimer getdents getdents64 mknod setresuid getresuid setresgid getresgid sched_setscheduler setpriority tgkill rt_sigqueueinfo timer_create shmget shmat shmctl semget semop msgctl '
    + 'readv writev getrandom mkdirat unlinkat symlinkat fchmodat faccessat futimesat get_robust_list getcpu dup3 sched_setaffinity sched_getaffinity inotify_add_watch '
    + 'close_range listxattr llistxattr flistxattr sched_setattr readahead access membarrier',
  'rt_sigaction rt_sigprocmask pread64 pwrite64 sendfile wait4 openat openat2 newfstatat readlinkat mknodat renameat utimensat fallocate socketpair accept4 epoll_ctl epoll_wait clock_nanosleep '
    + 'rt_sigtimedwait timer_settime timerfd_settime fadvise64 signalfd4 semctl semtimedop msgsnd prlimit64 sendmmsg tee vmsplice getxattr lgetxattr fgetxattr pidfd_send_signal faccessat2 '
    + 'rt_tgsigqueueinfo mq_open sched_getattr sync_file_range',
  'clone mremap prctl select fchownat linkat renameat2 ppoll preadv pwritev getsockopt setsockopt waitid statx msgrcv recvmmsg execveat setxattr lsetxattr fsetxattr mq_timedsend mq_timedreceive',
];

const ARGUMENT_SLOTS: readonly Slot[] = [RDI, RSI, RDX, GPR[10] as Slot, GPR[8] as Slot, GPR[9] as Slot];
const COUNTS: ReadonlyMap<string, number> = new Map(NAMES.flatMap((names, count) => names.split(' ').map((name) => [name, count] as const)));

/** The slots that say what system call `number` asks for. */
export function questionSlots(number: number): readonly Slot[] {
  const count = COUNTS.get(SYSCALL_NAMES[number] ?? '') ?? ARGUMENT_SLOTS.length;
  return [RAX, ...ARGUMENT_SLOTS.slice(0, count)];
}
