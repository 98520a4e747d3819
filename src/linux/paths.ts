/**
 * From a path the guest names to a place we can act on: either a path for the host, or a node of the
 * small file tree we play ourselves (/proc, /dev/stdin).
 *
 * A path relative to a directory descriptor, or to a working directory that is not the host's own, goes
 * through the host's name for that descriptor, so it follows the directory even if it is renamed.
 */
import { E } from '../base/errno.js';
import { bytePath, type BytePath } from '../base/bytePath.js';
import { AT_FDCWD } from './files/fileConstants.js';
import { walkPath, type WalkStart } from './pathWalk.js';
import type { Process } from './process.js';
import type { VirtualNode } from './proc/virtualNode.js';

export type PathPlace =
  | { readonly kind: 'host'; readonly path: BytePath }
  | { readonly kind: 'virtual'; readonly node: VirtualNode };

/**
 * Whether a link in the last part is followed, as far as it is the host's. 'later': the caller sees by itself whether
 * there is one, and if so asks again with 'yes'.
 */
type Following = 'no' | 'yes' | 'later';

const ROOT: WalkStart = { host: '', path: () => bytePath('/') };
/** These are links to /proc/self/fd, whether the host has them or not. */
const DESCRIPTORS = /^\/+dev\/+(?:fd(?=\/|$)|(stdin|stdout|stderr)$)/;
const STANDARD_STREAMS: Readonly<Record<string, number>> = { stdin: 0, stdout: 1, stderr: 2 };

/** Where `path` leads from `dirFd`. Links of ours in the last part are not followed. A number is an error. */
export function resolvePath(process: Process, dirFd: number, path: BytePath, following: Following = 'no'): PathPlace | number {
  if (path === '') return -E.NOENT;
  if (path.startsWith('/')) return find(process, ROOT, withoutDev(path), following);
  const start = startAt(process, dirFd);
  return typeof start === 'number' ? start : find(process, start, path, following);
}

/** The same, for calls that can only act on the host's files. */
export function resolveHostPath(process: Process, dirFd: number, path: BytePath, follow = false): BytePath | number {
  const place = resolvePath(process, dirFd, path, follow ? 'yes' : 'no');
  if (typeof place === 'number') return place;
  if (place.kind === 'host') return place.path;
  const { node } = place;
  const directory = node.kind === 'link' && follow ? node.node : node;
  if (directory?.kind === 'directory' && directory.hostPath !== undefined) return directory.hostPath;
  if (!follow || node.kind !== 'link' || node.node !== undefined) return -E.PERM;
  if (node.file === undefined) return node.leadsTo ?? node.target;
  return node.file.hostFd === undefined ? -E.PERM : process.host.files.pathOfFd(node.file.hostFd);
}

/** Reads a path argument and resolves it for the host; `follow` if the call follows a link in the last part. */
export function hostPathArgument(process: Process, dirFd: number, address: number, follow = false): BytePath | number {
  const path = process.readPath(address);
  return typeof path === 'number' ? path : resolveHostPath(process, dirFd, path, follow);
}

export function currentDirectory(process: Process): BytePath | number {
  const { files } = process.host;
  const { fd, path, isVirtual } = process.workingDirectory;
  if (isVirtual === true) return path;
  if (fd === undefined) return files.workingDirectory();
  return files.readLink(files.pathOfFd(fd));
}

function withoutDev(path: BytePath): BytePath {
  if (!path.startsWith('/dev/') && !path.startsWith('//')) return path;
  return bytePath(path.replace(DESCRIPTORS, (_, stream?: string) => `/proc/self/fd${stream === undefined ? '' : `/${STANDARD_STREAMS[stream] ?? 0}`}`));
}

/** Where relative paths start. */
function startAt(process: Process, dirFd: number): (WalkStart & { readonly known: BytePath }) | number {
  const { files } = process.host;
  if (dirFd === AT_FDCWD) {
    const { fd, path, isVirtual } = process.workingDirectory;
    const host = isVirtual === true ? path : fd === undefined ? '.' : files.pathOfFd(fd);
    return { host, known: path, path: () => currentPath(process) };
  }
  const file = process.files.get(dirFd);
  if (file === undefined) return -E.BADF;
  if (!file.isDirectory) return -E.NOTDIR;
  const { hostFd } = file;
  if (hostFd === undefined) return { host: file.path, known: file.path, path: () => file.path };
  return { host: files.pathOfFd(hostFd), known: file.knownPath, path: () => file.path };
}

function currentPath(process: Process): BytePath {
  const path = currentDirectory(process);
  return typeof path === 'number' ? process.workingDirectory.path : path;
}

function find(process: Process, start: WalkStart & { readonly known?: BytePath }, path: BytePath, following: Following): PathPlace | number {
  const { plainDirectories } = process.world;
  const asGiven = path.startsWith('/') || start.host === '.' ? path : bytePath(`${start.host}/${path}`);
  const end = path.lastIndexOf('/') + 1;
  const directory = `${start.known ?? ''}/${path.slice(0, end)}`;
  const isName = path.length > end && !path.endsWith('.');
  if (isName && plainDirectories.has(directory)) {
    const mayLead = following === 'yes' && typeof process.host.files.readLink(asGiven) !== 'number';
    if (!mayLead) return { kind: 'host', path: asGiven };
  }
  const { place, isPlain } = walkPath(process, { start, path, follow: following !== 'no', asGiven });
  if (isName && isPlain && typeof place !== 'number') plainDirectories.add(directory);
  return place;
}
