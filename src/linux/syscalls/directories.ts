/** Listing directories, and the working directory. */
import { E } from '../../base/errno.js';
import { BadAddress } from '../../machine/addressSpace.js';
import { bytesOfBytePath, type BytePath } from '../../base/bytePath.js';
import type { HostFd } from '../../host/host.js';
import { AT_EACCESS, AT_FDCWD, O } from '../files/fileConstants.js';
import type { DirectoryEntry, OpenFile } from '../files/openFile.js';
import { mayAccess } from '../files/virtualFile.js';
import { currentDirectory, resolveHostPath, resolvePath } from '../paths.js';
import type { VirtualNode } from '../proc/virtualNode.js';
import type { Process } from '../process.js';
import type { SyscallFamily } from '../syscall.js';
import type { SyscallArgs } from '../syscallArgs.js';
import { accessHost } from './metadata.js';
import type { Vector } from './vectors.js';

const X_OK = 1;
/** Entries are stored in portions, however large the buffer is. */
const AT_ONCE = 64 * 1024;

/** Stores one record: the two forms differ in where the type stands. */
type WriteRecord = (view: DataView, bytes: Uint8Array, entry: DirectoryEntry, length: number) => void;

function writeHead(view: DataView, entry: DirectoryEntry, length: number): void {
  view.setBigUint64(0, entry.inode, true);
  view.setBigInt64(8, BigInt(entry.next), true);
  view.setUint16(16, length, true);
}

/** struct linux_dirent: name at 18, type in the last byte. */
const writeOldRecord: WriteRecord = (view, bytes, entry, length) => {
  writeHead(view, entry, length);
  bytes.set(bytesOfBytePath(entry.name), 18);
  bytes[length - 1] = entry.type;
};

/** struct linux_dirent64: type at 18, name at 19. */
const writeRecord: WriteRecord = (view, bytes, entry, length) => {
  writeHead(view, entry, length);
  bytes[18] = entry.type;
  bytes.set(bytesOfBytePath(entry.name), 19);
};

function listEntries(p: Process, a: SyscallArgs, write: WriteRecord): number {
  const file = p.files.get(a.int(0));
  if (file === undefined) return -E.BADF;
  let done = 0;
  for (;;) {
    const count = listSome(p, file, { address: a.addr(1) + done, length: Math.min(a.uint(2) - done, AT_ONCE) }, write, done > 0);
    if (count <= 0) return done > 0 ? done : count;
    done += count;
  }
}

function listSome(p: Process, file: OpenFile, { address, length }: Vector, write: WriteRecord, isMore: boolean): number {
  try {
    return p.space.fill(address, length, (buffer) => fillRecords(file, buffer, write));
  } catch (error) {
    if (isMore && error instanceof BadAddress) return 0;
    throw error;
  }
}

function fillRecords(file: OpenFile, buffer: Uint8Array, write: WriteRecord): number {
  let used = 0;
  for (;;) {
    const entry = file.peekEntry();
    if (typeof entry === 'number') return used > 0 ? used : entry;
    if (entry === undefined) return used;
    const length = (18 + entry.name.length + 2 + 7) & ~7;
    if (used + length > buffer.length) return used > 0 ? used : -E.INVAL;
    const record = buffer.subarray(used, used + length);
    record.fill(0);
    write(new DataView(record.buffer, record.byteOffset, length), record, entry, length);
    used += length;
    file.takeEntry();
  }
}

/** Moves the process to a directory of the host. */
function changeDirectory(p: Process, path: BytePath): number {
  const { files } = p.host;
  const fd = files.open(path, O.PATH | O.DIRECTORY | O.CLOEXEC, 0);
  if (fd < 0) return fd;
  const access = accessHost(p, files.pathOfFd(fd as HostFd), X_OK, AT_EACCESS);
  if (access < 0) {
    files.close(fd as HostFd);
    return access;
  }
  const old = p.workingDirectory.fd;
  const name = files.readLink(files.pathOfFd(fd as HostFd));
  p.workingDirectory = { fd: fd as HostFd, path: typeof name === 'number' ? path : name };
  if (old !== undefined) files.close(old);
  return 0;
}

/** Moves the process to a directory that only we have. */
function enterVirtual(p: Process, node: VirtualNode): number {
  if (node.kind !== 'directory') return -E.NOTDIR;
  if (!mayAccess(p, node, X_OK)) return -E.ACCES;
  const old = p.workingDirectory.fd;
  p.workingDirectory = { fd: undefined, path: node.path, isVirtual: true };
  if (old !== undefined) p.host.files.close(old);
  return 0;
}

export const directoryCalls: SyscallFamily = {
  getdents: (p, a) => listEntries(p, a, writeOldRecord),
  getdents64: (p, a) => listEntries(p, a, writeRecord),

  chdir(p, a) {
    const path = p.readPath(a.addr(0));
    if (typeof path === 'number') return path;
    const place = resolvePath(p, AT_FDCWD, path, 'yes');
    if (typeof place === 'number') return place;
    if (place.kind === 'host') return changeDirectory(p, place.path);
    const { node } = place;
    const behind = node.kind === 'link' ? node.node : node;
    if (behind !== undefined) return enterVirtual(p, behind);
    const host = resolveHostPath(p, AT_FDCWD, path, true);
    return host === -E.PERM ? -E.NOTDIR : typeof host === 'number' ? host : changeDirectory(p, host);
  },

  fchdir(p, a) {
    const file = p.files.get(a.int(0));
    if (file === undefined) return -E.BADF;
    if (!file.isDirectory) return -E.NOTDIR;
    if (file.hostFd === undefined) {
      const place = resolvePath(p, AT_FDCWD, file.path);
      return typeof place === 'number' ? place : place.kind === 'virtual' ? enterVirtual(p, place.node) : -E.NOENT;
    }
    return changeDirectory(p, p.host.files.pathOfFd(file.hostFd));
  },

  getcwd(p, a) {
    const path = currentDirectory(p);
    if (typeof path === 'number') return path;
    if (path.endsWith(' (deleted)')) return -E.NOENT;
    const size = path.length + 1;
    if (a.addr(1) < size) return -E.RANGE;
    const bytes = new Uint8Array(size);
    bytes.set(bytesOfBytePath(path));
    p.space.write(a.addr(0), bytes);
    return size;
  },
};
