/**
 * What the arguments of system calls are, as far as it helps to read them: a line for each, the kinds of
 * its arguments after its name. Calls that are not here are shown with numbers.
 *
 *   fd, dir     a descriptor; `dir` may be AT_FDCWD
 *   int, size   numbers, signed and not; mode: octal; ptr: an address; flags: hexadecimal
 *   path, text  a string in memory
 *   texts       an array of strings
 *   data, fill  bytes; their number is the next argument, or for `fill` the result: what the kernel stored
 *   open, prot, map, signal, clock, futex, whence   names for numbers
 */
export type ArgumentKind =
  | 'fd' | 'dir' | 'int' | 'size' | 'mode' | 'ptr' | 'flags' | 'path' | 'text' | 'texts' | 'data' | 'fill'
  | 'open' | 'prot' | 'map' | 'signal' | 'clock' | 'futex' | 'whence';

const TABLE = `
read fd fill size
write fd data size
open path open mode
close fd
stat path ptr
fstat fd ptr
lstat path ptr
poll ptr size int
lseek fd int whence
mmap ptr size prot map fd size
mprotect ptr size prot
munmap ptr size
brk ptr
rt_sigaction signal ptr ptr size
rt_sigprocmask int ptr ptr size
rt_sigreturn
ioctl fd flags ptr
pread64 fd fill size int
pwrite64 fd data size int
readv fd ptr size
writev fd ptr size
access path int
pipe ptr
select int ptr ptr ptr ptr
sched_yield
mremap ptr size size flags ptr
msync ptr size flags
madvise ptr size int
shmget int size flags
shmat int ptr flags
shmctl int int ptr
dup fd
dup2 fd fd
pause
nanosleep ptr ptr
alarm int
setitimer int ptr ptr
getpid
sendfile fd fd ptr size
socket int int int
connect fd ptr size
accept fd ptr ptr
sendto fd data size flags ptr size
recvfrom fd fill size flags ptr ptr
sendmsg fd ptr flags
recvmsg fd ptr flags
shutdown fd int
bind fd ptr size
listen fd int
getsockname fd ptr ptr
getpeername fd ptr ptr
socketpair int int int ptr
setsockopt fd int int data size
getsockopt fd int int ptr ptr
clone flags ptr ptr ptr ptr
fork
vfork
execve path texts ptr
exit int
wait4 int ptr flags ptr
kill int signal
uname ptr
semget int int flags
semop int ptr size
shmdt ptr
msgget int flags
msgsnd int ptr size flags
msgrcv int ptr size int flags
fcntl fd int ptr
flock fd int
fsync fd
fdatasync fd
truncate path size
ftruncate fd size
getcwd fill size
chdir path
fchdir fd
rename path path
mkdir path mode
rmdir path
creat path mode
link path path
unlink path
symlink path path
readlink path fill size
chmod path mode
fchmod fd mode
chown path int int
fchown fd int int
lchown path int int
umask mode
gettimeofday ptr ptr
getrlimit int ptr
getrusage int ptr
sysinfo ptr
times ptr
getuid
getgid
setuid int
setgid int
geteuid
getegid
setpgid int int
getppid
getpgrp
setsid
getgroups int ptr
getpgid int
getsid int
rt_sigpending ptr size
rt_sigtimedwait ptr ptr ptr size
rt_sigqueueinfo int signal ptr
rt_sigsuspend ptr size
sigaltstack ptr ptr
mknod path mode size
statfs path ptr
fstatfs fd ptr
getpriority int int
setpriority int int int
prctl int ptr ptr ptr ptr
arch_prctl flags ptr
setrlimit int ptr
chroot path
sync
gettid
setxattr path text data size flags
getxattr path text fill size
listxattr path fill size
tkill int signal
time ptr
futex ptr futex int ptr ptr int
sched_setaffinity int size ptr
sched_getaffinity int size ptr
getdents64 fd ptr size
set_tid_address ptr
restart_syscall
semtimedop int ptr size ptr
timer_create clock ptr ptr
timer_settime int flags ptr ptr
timer_delete int
clock_gettime clock ptr
clock_getres clock ptr
clock_nanosleep clock flags ptr ptr
exit_group int
epoll_wait fd ptr int int
epoll_ctl fd int fd ptr
tgkill int int signal
mq_open path open mode ptr
mq_unlink path
mq_timedsend fd data size int ptr
mq_timedreceive fd fill size ptr ptr
waitid int int ptr flags ptr
inotify_init
inotify_add_watch fd path flags
inotify_rm_watch fd int
openat dir path open mode
mkdirat dir path mode
mknodat dir path mode size
fchownat dir path int int flags
newfstatat dir path ptr flags
unlinkat dir path flags
renameat dir path dir path
linkat dir path dir path flags
symlinkat path dir path
readlinkat dir path fill size
fchmodat dir path mode
faccessat dir path int
pselect6 int ptr ptr ptr ptr ptr
ppoll ptr size ptr ptr size
set_robust_list ptr size
utimensat dir path ptr flags
epoll_pwait fd ptr int int ptr size
signalfd fd ptr size
timerfd_create clock flags
eventfd int
fallocate fd flags int int
timerfd_settime fd flags ptr ptr
accept4 fd ptr ptr flags
signalfd4 fd ptr size flags
eventfd2 int flags
epoll_create1 flags
dup3 fd fd flags
pipe2 ptr flags
inotify_init1 flags
preadv fd ptr size int
pwritev fd ptr size int
prlimit64 int int ptr ptr
getcpu ptr ptr ptr
renameat2 dir path dir path flags
getrandom fill size flags
memfd_create text flags
execveat dir path texts ptr flags
copy_file_range fd ptr fd ptr size flags
statx dir path flags flags ptr
rseq ptr size flags int
pidfd_send_signal fd signal ptr flags
pidfd_open int flags
clone3 ptr size
close_range fd fd flags
openat2 dir path ptr size
faccessat2 dir path int flags
`;

/** By name; what is not there is not known. */
export const SIGNATURES: ReadonlyMap<string, readonly ArgumentKind[]> = new Map(
  TABLE.trim().split('\n').map((line) => {
    const [name = '', ...kinds] = line.split(' ');
    return [name, kinds as ArgumentKind[]];
  }),
);
