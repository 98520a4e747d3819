/** Extended attributes: getxattr, setxattr, listxattr, removexattr, each by path, by link and by descriptor. */
import { E } from '../../base/errno.js';
import { bytePathFromBytes, type BytePath, bytesOfBytePath } from '../../base/bytePath.js';
import { AT_FDCWD, O, S_IFDIR, S_IFMT, S_IFREG } from '../files/fileConstants.js';
import { hostPathArgument } from '../paths.js';
import type { Process } from '../process.js';
import type { SyscallFamily, SyscallHandler } from '../syscall.js';
import type { SyscallArgs } from '../syscallArgs.js';

const LONGEST_NAME = 255;
const LARGEST_VALUE = 65_536;
const XATTR_FLAGS = 3;
/** What programs set. The kernel's own (security., system.) are neither shown nor changed. */
const OURS = /^(user|trusted)\../s;
const KERNELS = /^(security|system)\../s;

/** The file that a call means, as a path for the host. */
interface Target {
  readonly path: BytePath;
  readonly follow: boolean;
}

type FindTarget = (p: Process, a: SyscallArgs) => Target | number;

const byPath = (follow: boolean): FindTarget => (p, a) => {
  const path = hostPathArgument(p, AT_FDCWD, a.addr(0), follow);
  // What is ours to make up has no attributes.
  if (path === -E.PERM) return -E.OPNOTSUPP;
  return typeof path === 'number' ? path : { path, follow };
};

const byFd: FindTarget = (p, a) => {
  const file = p.files.get(a.int(0));
  if (file === undefined || (file.flags & O.PATH) !== 0) return -E.BADF;
  return file.hostFd === undefined ? -E.OPNOTSUPP : { path: p.host.files.pathOfFd(file.hostFd), follow: true };
};

function readName(p: Process, address: number): BytePath | number {
  const bytes = p.space.readCString(address, LONGEST_NAME + 1);
  return bytes.length === 0 || bytes.length > LONGEST_NAME ? -E.RANGE : bytePathFromBytes(bytes);
}

/** Whether there can be such an attribute: 0 or an error. */
function checkName(name: BytePath): number {
  if (OURS.test(name) || KERNELS.test(name)) return 0;
  return /^(user|trusted|security|system)\.$/.test(name) ? -E.INVAL : -E.OPNOTSUPP;
}

function isVisible(p: Process, name: string): boolean {
  return name.startsWith('user.') || (p.credentials.privileged && name.startsWith('trusted.'));
}

function attributesOf(p: Process, { path, follow }: Target): ReadonlyMap<string, Uint8Array> | number {
  const all = p.host.files.attributes(path, follow);
  if (typeof all === 'number') return all;
  return new Map([...all].filter(([name]) => isVisible(p, name)));
}

/** Copies a result to where the program wants it; a size of 0 asks only how long it is. */
function put(p: Process, bytes: Uint8Array, address: number, size: number): number {
  if (size === 0) return bytes.length;
  if (bytes.length > size) return -E.RANGE;
  p.space.write(address, bytes);
  return bytes.length;
}

function get(find: FindTarget): SyscallHandler {
  return (p, a) => {
    const name = readName(p, a.addr(1));
    if (typeof name === 'number') return name;
    const target = find(p, a);
    if (typeof target === 'number') return target;
    const stat = p.host.files.stat(target.path, target.follow);
    if (typeof stat === 'number') return stat;
    const failure = checkName(name);
    if (failure < 0) return failure;
    // Asked for by every ls: no need to look.
    if (!OURS.test(name)) return -E.NODATA;
    const all = attributesOf(p, target);
    if (typeof all === 'number') return all;
    const value = all.get(name);
    return value === undefined ? -E.NODATA : put(p, value, a.addr(2), a.addr(3));
  };
}

function list(find: FindTarget): SyscallHandler {
  return (p, a) => {
    const target = find(p, a);
    if (typeof target === 'number') return target === -E.OPNOTSUPP ? 0 : target;
    const all = attributesOf(p, target);
    if (typeof all === 'number') return all === -E.OPNOTSUPP ? 0 : all;
    return put(p, bytesOfBytePath([...all.keys()].map((name) => `${name}\0`).join('')), a.addr(1), a.addr(2));
  };
}

function set(find: FindTarget): SyscallHandler {
  return (p, a) => {
    const flags = a.uint(4);
    if ((flags & ~XATTR_FLAGS) !== 0) return -E.INVAL;
    const name = readName(p, a.addr(1));
    if (typeof name === 'number') return name;
    if (a.addr(3) > LARGEST_VALUE) return -E['2BIG'];
    const value = p.space.view(a.addr(2), a.addr(3), 'read').slice();
    const target = find(p, a);
    if (typeof target === 'number') return target;
    const refused = refusal(p, target, name);
    return refused < 0 ? refused : p.host.files.setAttribute(target.path, name, value, flags, target.follow);
  };
}

function remove(find: FindTarget): SyscallHandler {
  return (p, a) => {
    const name = readName(p, a.addr(1));
    if (typeof name === 'number') return name;
    const target = find(p, a);
    if (typeof target === 'number') return target;
    const refused = refusal(p, target, name);
    return refused < 0 ? refused : p.host.files.removeAttribute(target.path, name, target.follow);
  };
}

function refusal(p: Process, { path, follow }: Target, name: BytePath): number {
  const stat = p.host.files.stat(path, follow);
  if (typeof stat === 'number') return stat;
  const type = stat.mode & S_IFMT;
  if (name.startsWith('user.') && type !== S_IFREG && type !== S_IFDIR) return -E.PERM;
  const failure = checkName(name);
  if (failure < 0) return failure;
  return OURS.test(name) ? 0 : -E.OPNOTSUPP;
}

export const attributeCalls: SyscallFamily = {
  getxattr: get(byPath(true)), lgetxattr: get(byPath(false)), fgetxattr: get(byFd),
  listxattr: list(byPath(true)), llistxattr: list(byPath(false)), flistxattr: list(byFd),
  setxattr: set(byPath(true)), lsetxattr: set(byPath(false)), fsetxattr: set(byFd),
  removexattr: remove(byPath(true)), lremovexattr: remove(byPath(false)), fremovexattr: remove(byFd),
};
