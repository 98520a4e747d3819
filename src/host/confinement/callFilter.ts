/**
 * A filter on system calls (seccomp), for all threads of our process, or one, and whatever they start: what culprit
 * never needs while it runs a program in its sandbox is refused by the kernel. It goes by numbers, not by names of
 * files: that is Landlock's part.
 */
import type { NativeCall } from './nativeCalls.js';

const SECCOMP = 317;
const SET_MODE_FILTER = 1;
const ALL_THREADS = 1;
const PRCTL = 157;
const PR_SET_NO_NEW_PRIVS = 38;

const ALLOW = 0x7fff_0000;
const REFUSE = 0x0005_0000;
const EPERM = 1;
const ENOSYS = 38;
const X86_64 = 0xc000_003e;
/** Numbers of the x32 interface have this bit. */
const X32 = 0x4000_0000;

/** Calls that change files without opening them for writing, which Landlock does not look after. */
const ATTRIBUTES = {
  chmod: 90, fchmod: 91, fchmodat: 268, fchmodat2: 452, chown: 92, fchown: 93, lchown: 94, fchownat: 260, utime: 132, utimes: 235,
  utimensat: 280, futimesat: 261, setxattr: 188, lsetxattr: 189, fsetxattr: 190, removexattr: 197, lremovexattr: 198, fremovexattr: 199,
  setxattrat: 463, removexattrat: 466, file_setattr: 469,
};
const PROCESSES = {
  ptrace: 101, process_vm_readv: 310, process_vm_writev: 311, kcmp: 312, pidfd_open: 434, pidfd_getfd: 438, pidfd_send_signal: 424,
  process_madvise: 440, rt_sigqueueinfo: 129, rt_tgsigqueueinfo: 297, migrate_pages: 256, move_pages: 279,
};
const NETWORK = { socket: 41, connect: 42, bind: 49, listen: 50 };
const NAMESPACES = {
  mount: 165, umount2: 166, pivot_root: 155, chroot: 161, unshare: 272, setns: 308, open_tree: 428, move_mount: 429, fsopen: 430,
  fsconfig: 431, fsmount: 432, fspick: 433, mount_setattr: 442, open_by_handle_at: 304, name_to_handle_at: 303,
};
const SYSTEM = {
  init_module: 175, finit_module: 313, delete_module: 176, kexec_load: 246, kexec_file_load: 320, reboot: 169, swapon: 167, swapoff: 168,
  settimeofday: 164, clock_settime: 227, adjtimex: 159, clock_adjtime: 305, sethostname: 170, setdomainname: 171, acct: 163, quotactl: 179,
  quotactl_fd: 443, syslog: 103, iopl: 172, ioperm: 173, vhangup: 153, fanotify_init: 300, lookup_dcookie: 212, bpf: 321,
  perf_event_open: 298, userfaultfd: 323, add_key: 248, request_key: 249, keyctl: 250,
  shmget: 29, shmat: 30, semget: 64, msgget: 68, mq_open: 240, mq_unlink: 241,
};
/** Who may use these asks first whether they are there. */
const ABSENT = { io_uring_setup: 425 };
const KILL = 62;
const TKILL = 200;
const TGKILL = 234;

/** The calls that put it into force; the last one has to return 0. */
export function filterCalls(pid: number, part: 'all threads' | 'this thread' = 'all threads'): readonly NativeCall[] {
  const program = filterProgram(pid);
  const header = new Uint8Array(16);
  new DataView(header.buffer).setUint16(0, program.length / 8, true);
  const filter = { bytes: header, pointer: { at: 8, to: { bytes: program } } };
  return [
    { number: PRCTL, arguments: [PR_SET_NO_NEW_PRIVS, 1] },
    { number: SECCOMP, arguments: [SET_MODE_FILTER, part === 'all threads' ? ALL_THREADS : 0, filter] },
  ];
}

/** In the language of the kernel's packet filters: 8 bytes an instruction. */
function filterProgram(pid: number): Uint8Array {
  const [LOAD, RETURN, IF_EQUAL, IF_AT_LEAST] = [0x20, 0x06, 0x15, 0x35];
  const [NUMBER, ARCHITECTURE, FIRST_ARGUMENT] = [0, 4, 16];
  const refused = [ATTRIBUTES, PROCESSES, NETWORK, NAMESPACES, SYSTEM].flatMap((group) => Object.values(group));
  const rows: (readonly [code: number, yes: number, no: number, value: number])[] = [
    [LOAD, 0, 0, ARCHITECTURE], [IF_EQUAL, 1, 0, X86_64], [RETURN, 0, 0, REFUSE | ENOSYS],
    [LOAD, 0, 0, NUMBER], [IF_AT_LEAST, 0, 1, X32], [RETURN, 0, 0, REFUSE | ENOSYS],
    ...refused.flatMap((number) => [[IF_EQUAL, 0, 1, number], [RETURN, 0, 0, REFUSE | EPERM]] as const),
    ...Object.values(ABSENT).flatMap((number) => [[IF_EQUAL, 0, 1, number], [RETURN, 0, 0, REFUSE | ENOSYS]] as const),
    [IF_EQUAL, 0, 1, TKILL], [RETURN, 0, 0, REFUSE | EPERM],
    // Signals to ourselves only.
    [IF_EQUAL, 1, 0, KILL], [IF_EQUAL, 0, 3, TGKILL], [LOAD, 0, 0, FIRST_ARGUMENT], [IF_EQUAL, 1, 0, pid], [RETURN, 0, 0, REFUSE | EPERM],
    [RETURN, 0, 0, ALLOW],
  ];
  const view = new DataView(new ArrayBuffer(rows.length * 8));
  for (const [i, [code, yes, no, value]] of rows.entries()) {
    view.setUint16(i * 8, code, true);
    view.setUint8(i * 8 + 2, yes);
    view.setUint8(i * 8 + 3, no);
    view.setUint32(i * 8 + 4, value >>> 0, true);
  }
  return new Uint8Array(view.buffer);
}
