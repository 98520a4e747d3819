/**
 * From a path the guest names to a place we can act on: either a path for the host, or a node of the
 * small file tree we play ourselves (/proc/self, /proc/cpuinfo, /dev/stdin).
 *
 * A path relative to a directory descriptor, or to a working directory that is not the host's own, goes
 * through the host's name for that descriptor, so it follows the directory even if it is renamed.
 */
import { E } from '../base/errno.js';
import { bytePath, type BytePath } from '../host/bytePath.js';
import type { HostFd } from '../host/host.js';
import { AT_FDCWD } from './files/fileConstants.js';
import type { Process } from './process.js';
import { findVirtual } from './proc/procTree.js';
import type { VirtualNode } from './proc/virtualNode.js';

export type Place =
  | { readonly kind: 'host'; readonly path: BytePath }
  | { readonly kind: 'virtual'; readonly node: VirtualNode };

/** Where `path` leads from `dirFd`, not following a link in its last part. A number is an error. */
export function resolvePath(process: Process, dirFd: number, path: BytePath): Place | number {
  if (path === '') return -E.NOENT;
  if (path.startsWith('/')) return absolutePlace(process, path);
  if (dirFd === AT_FDCWD) {
    const { fd, path: directory } = process.workingDirectory;
    return relativePlace(process, fd, directory, path);
  }
  const file = process.files.get(dirFd);
  if (file === undefined) return -E.BADF;
  if (!file.isDirectory) return -E.NOTDIR;
  if (file.hostFd === undefined) return absolutePlace(process, bytePath(`${file.path}/${path}`));
  return relativePlace(process, file.hostFd, file.knownPath, path);
}

/** The same, for calls that can only act on the host's files. */
export function resolveHostPath(process: Process, dirFd: number, path: BytePath, follow = false): BytePath | number {
  const place = resolvePath(process, dirFd, path);
  if (typeof place === 'number') return place;
  if (place.kind === 'host') return place.path;
  const { node } = place;
  const directory = node.kind === 'link' && follow ? node.node : node;
  if (directory?.kind === 'directory' && directory.hostPath !== undefined) return directory.hostPath;
  if (!follow || node.kind !== 'link') return -E.PERM;
  if (node.file === undefined) return node.target;
  return node.file.hostFd === undefined ? -E.PERM : process.host.files.pathOfFd(node.file.hostFd);
}

/** Reads a path argument and resolves it for the host; `follow` if the call follows a link in the last part. */
export function hostPathArgument(process: Process, dirFd: number, address: number, follow = false): BytePath | number {
  const path = process.readPath(address);
  return typeof path === 'number' ? path : resolveHostPath(process, dirFd, path, follow);
}

export function currentDirectory(process: Process): BytePath | number {
  const { files } = process.host;
  const { fd } = process.workingDirectory;
  if (fd === undefined) return files.workingDirectory();
  return files.readLink(files.pathOfFd(fd));
}

function absolutePlace(process: Process, path: BytePath): Place {
  if (mayBeVirtual(path)) {
    const found = findVirtual(process, path);
    if (found !== undefined) return found;
  }
  return { kind: 'host', path };
}

function relativePlace(process: Process, base: HostFd | undefined, directory: BytePath, path: BytePath): Place {
  const hostPath = base === undefined ? path : bytePath(`${process.host.files.pathOfFd(base)}/${path}`);
  if (mayBeVirtual(bytePath(`${directory}/`))) {
    const found = findVirtual(process, bytePath(`${directory}/${path}`));
    if (found !== undefined) return found;
  }
  return { kind: 'host', path: hostPath };
}

function mayBeVirtual(path: BytePath): boolean {
  return path === '/proc' || path.startsWith('/proc/') || path.startsWith('/dev/') || path.startsWith('//');
}
