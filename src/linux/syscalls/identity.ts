/** Who the process is, and the odds and ends that prctl and arch_prctl set. */
import { E } from '../../base/errno.js';
import { USER_SPACE_END } from '../../base/types.js';
import { bytePathFromBytes, bytesOfBytePath } from '../../base/bytePath.js';
import { FS_BASE, GS_BASE, type Slot } from '../../layout/cpuState.js';
import type { IdSet } from '../credentials.js';
import type { Process } from '../process.js';
import type { SyscallFamily, SyscallHandler } from '../syscall.js';
import type { SyscallArgs } from '../syscallArgs.js';

const ARCH = { SET_GS: 0x1001, SET_FS: 0x1002, GET_FS: 0x1003, GET_GS: 0x1004 } as const;
const PR = {
  SET_PDEATHSIG: 1, GET_PDEATHSIG: 2, GET_DUMPABLE: 3, SET_DUMPABLE: 4, GET_KEEPCAPS: 7, SET_KEEPCAPS: 8, SET_NAME: 15,
  GET_NAME: 16, GET_SECCOMP: 21, CAPBSET_READ: 23, GET_SECUREBITS: 27, SET_TIMERSLACK: 29, GET_TIMERSLACK: 30,
  SET_CHILD_SUBREAPER: 36, GET_CHILD_SUBREAPER: 37, SET_NO_NEW_PRIVS: 38, GET_NO_NEW_PRIVS: 39, GET_THP_DISABLE: 42, SET_THP_DISABLE: 41,
} as const;
const NAME_SIZE = 16;
const NO_ID = -1;
const MOST_GROUPS = 65_536;
const LAST_SIGNAL = 64;
const LONGEST_HOST_NAME = 64;
const LAST_CAPABILITY = 40;
const CAPABILITY_VERSION_3 = 0x20080522;
/** ADDR_NO_RANDOMIZE and friends may be asked for; this asks without changing. */
const QUERY_PERSONALITY = 0xffff_ffff;
const READ_IMPLIES_EXEC = 0x0400000;
const ADDR_NO_RANDOMIZE = 0x0040000;

function setBase(p: Process, slot: Slot, a: SyscallArgs): number {
  if (a.addr(1) >= USER_SPACE_END) return -E.PERM;
  p.cpu.setBig(slot, a.big(1));
  return 0;
}

function getBase(p: Process, slot: Slot, a: SyscallArgs): number {
  p.space.writeU64(a.addr(1), p.cpu.big(slot));
  return 0;
}

function setName(p: Process, address: number): number {
  p.task.name = bytePathFromBytes(p.space.readCString(address, NAME_SIZE - 1));
  return 0;
}

function getName(p: Process, address: number): number {
  const bytes = new Uint8Array(NAME_SIZE);
  bytes.set(bytesOfBytePath(p.task.name));
  p.space.write(address, bytes);
  return 0;
}

function control(p: Process, a: SyscallArgs): number {
  switch (a.int(0)) {
    case PR.SET_NAME:
      return setName(p, a.addr(1));
    case PR.GET_NAME:
      return getName(p, a.addr(1));
    case PR.SET_PDEATHSIG:
      if (a.addr(1) > LAST_SIGNAL) return -E.INVAL;
      p.parentDeathSignal = a.uint(1);
      return 0;
    case PR.GET_PDEATHSIG:
      p.space.writeU32(a.addr(1), p.parentDeathSignal);
      return 0;
    case PR.GET_DUMPABLE:
      return p.dumpable;
    case PR.SET_DUMPABLE:
      if (a.addr(1) > 1) return -E.INVAL;
      p.dumpable = a.uint(1);
      return 0;
    case PR.CAPBSET_READ:
      if (a.addr(1) > LAST_CAPABILITY) return -E.INVAL;
      return p.credentials.privileged ? 1 : 0;
    case PR.GET_TIMERSLACK:
      return p.timerSlack;
    case PR.SET_TIMERSLACK:
      p.timerSlack = a.uint(1);
      return 0;
    case PR.SET_CHILD_SUBREAPER:
      p.family.isSubreaper = a.addr(1) !== 0;
      return 0;
    case PR.GET_CHILD_SUBREAPER:
      p.space.writeU32(a.addr(1), p.family.isSubreaper ? 1 : 0);
      return 0;
    case PR.SET_NO_NEW_PRIVS:
      if (a.addr(1) !== 1) return -E.INVAL;
      p.noNewPrivileges = 1;
      return 0;
    case PR.GET_NO_NEW_PRIVS:
      return p.noNewPrivileges;
    case PR.GET_KEEPCAPS:
      return p.credentials.keepsCapabilities;
    case PR.SET_KEEPCAPS:
      if (a.addr(1) > 1) return -E.INVAL;
      p.credentials.keepsCapabilities = a.uint(1);
      return 0;
    case PR.GET_SECCOMP:
    case PR.GET_SECUREBITS:
    case PR.GET_THP_DISABLE:
    case PR.SET_THP_DISABLE:
      return 0;
    default:
      // PR_SET_VMA (naming anonymous memory) among them: kernels without it say the same.
      return -E.INVAL;
  }
}

/** Capabilities: all for root, none for others. */
function capabilities(p: Process, a: SyscallArgs): number {
  const [header, data] = [a.addr(0), a.addr(1)];
  if (p.space.readU32(header) !== CAPABILITY_VERSION_3) {
    p.space.writeU32(header, CAPABILITY_VERSION_3);
    return data === 0 ? 0 : -E.INVAL;
  }
  if (data === 0) return 0;
  const low = p.credentials.privileged ? 0xffff_ffff : 0;
  const high = p.credentials.privileged ? 2 ** (LAST_CAPABILITY - 31) - 1 : 0;
  [low, low, 0, high, high, 0].forEach((word, i) => p.space.writeU32(data + i * 4, word));
  return 0;
}

function getAll(ids: (p: Process) => IdSet): SyscallHandler {
  return (p, a) => {
    const { real, effective, saved } = ids(p);
    [real, effective, saved].forEach((id, i) => p.space.writeU32(a.addr(i), id));
    return 0;
  };
}

/** setfsuid and setfsgid return the old value, whatever happens. */
function setFileSystemId(ids: (p: Process) => IdSet): SyscallHandler {
  return (p, a) => {
    const set = ids(p);
    const old = set.fileSystem;
    const id = a.int(0);
    if (id !== NO_ID && (p.credentials.privileged || [set.real, set.effective, set.saved].includes(id))) set.fileSystem = id;
    return old;
  };
}

const user = (p: Process): IdSet => p.credentials.user;
const group = (p: Process): IdSet => p.credentials.group;

export const identityCalls: SyscallFamily = {
  getpid: (p) => p.pid,
  gettid: (p) => p.tid,
  getppid: (p) => p.parentPid,
  getuid: (p) => p.credentials.user.real,
  geteuid: (p) => p.credentials.user.effective,
  getgid: (p) => p.credentials.group.real,
  getegid: (p) => p.credentials.group.effective,
  setuid: (p, a) => p.credentials.set(p.credentials.user, a.int(0)),
  setgid: (p, a) => p.credentials.set(p.credentials.group, a.int(0)),
  setreuid: (p, a) => p.credentials.setPair(p.credentials.user, a.int(0), a.int(1)),
  setregid: (p, a) => p.credentials.setPair(p.credentials.group, a.int(0), a.int(1)),
  setresuid: (p, a) => p.credentials.setAll(p.credentials.user, a.int(0), a.int(1), a.int(2)),
  setresgid: (p, a) => p.credentials.setAll(p.credentials.group, a.int(0), a.int(1), a.int(2)),
  getresuid: getAll(user),
  getresgid: getAll(group),
  setfsuid: setFileSystemId(user),
  setfsgid: setFileSystemId(group),

  getgroups(p, a) {
    const { groups } = p.credentials;
    const room = a.int(0);
    if (room < 0 || (room > 0 && room < groups.length)) return -E.INVAL;
    if (room > 0) groups.forEach((id, i) => p.space.writeU32(a.addr(1) + i * 4, id));
    return groups.length;
  },

  setgroups(p, a) {
    if (!p.credentials.privileged) return -E.PERM;
    if (a.uint(0) > MOST_GROUPS) return -E.INVAL;
    p.credentials.groups = Array.from({ length: a.uint(0) }, (_, i) => p.space.readU32(a.addr(1) + i * 4));
    return 0;
  },

  // The names of the machine are not the guest's to change.
  sethostname: (_p, a) => (a.int(1) < 0 || a.int(1) > LONGEST_HOST_NAME ? -E.INVAL : -E.PERM),
  setdomainname: (_p, a) => (a.int(1) < 0 || a.int(1) > LONGEST_HOST_NAME ? -E.INVAL : -E.PERM),
  capget: capabilities,
  capset: (p) => (p.credentials.privileged ? 0 : -E.PERM),
  prctl: control,

  arch_prctl(p, a) {
    switch (a.int(0)) {
      case ARCH.SET_FS:
        return setBase(p, FS_BASE, a);
      case ARCH.SET_GS:
        return setBase(p, GS_BASE, a);
      case ARCH.GET_FS:
        return getBase(p, FS_BASE, a);
      case ARCH.GET_GS:
        return getBase(p, GS_BASE, a);
      default:
        return -E.INVAL;
    }
  },

  personality(p, a) {
    const old = p.personality;
    const wanted = a.uint(0);
    if (wanted === QUERY_PERSONALITY) return old;
    if ((wanted & ~(READ_IMPLIES_EXEC | ADDR_NO_RANDOMIZE)) !== 0 && (wanted & 0xff) !== 0) return -E.INVAL;
    p.personality = wanted;
    return old;
  },
};
