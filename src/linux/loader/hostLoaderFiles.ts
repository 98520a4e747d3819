/**
 * The host's file system as the loader wants it. A program's file stays open as long as it is
 * mapped, and is read page by page as it is touched: most of a large program never is.
 */
import { bytePath } from '../../base/bytePath.js';
import type { HostFd, HostFiles, HostStat } from '../../host/host.js';
import type { MappableFile } from '../../machine/mapping.js';
import type { FileFacts, LoaderFiles, ProgramFile } from './loaderFiles.js';

const S_IFMT = 0o170000;
const S_IFREG = 0o100000;
const S_IFDIR = 0o040000;
const ANY_EXECUTE = 0o111;
const X_OK = 1;
const O_RDONLY = 0;
/** Enough for the program headers of any program, and for the first line of a script. */
const HEAD_SIZE = 4096;

export function hostLoaderFiles(files: HostFiles): LoaderFiles {
  return {
    stat: (path) => statProgram(files, path),
    open: (path) => openProgramFile(files, path),
  };
}

function statProgram(files: HostFiles, path: string): FileFacts | number {
  const stat = files.stat(bytePath(path), true);
  if (typeof stat === 'number') return stat;
  const type = stat.mode & S_IFMT;
  // For root access(2) says yes as soon as anybody may execute the file; without any such bit it says no.
  const executable = (stat.mode & ANY_EXECUTE) !== 0 && files.access(bytePath(path), X_OK) === 0;
  return { kind: type === S_IFREG ? 'file' : type === S_IFDIR ? 'directory' : 'other', executable };
}

function openProgramFile(files: HostFiles, path: string): ProgramFile | number {
  const fd = files.open(bytePath(path), O_RDONLY, 0);
  if (fd < 0) return fd;
  const stat = files.statFd(fd as HostFd);
  const head = typeof stat === 'number' ? stat : readBytes(files, fd as HostFd, Math.min(stat.size, HEAD_SIZE));
  if (typeof stat === 'number' || typeof head === 'number') {
    files.close(fd as HostFd);
    return typeof stat === 'number' ? stat : (head as number);
  }
  const link = files.readLink(files.pathOfFd(fd as HostFd));
  const realPath = typeof link === 'number' ? path : link;
  return {
    realPath,
    contents: { size: stat.size, head, all: () => readAgain(files, realPath, stat.size) },
    mappable: mappableFd(files, fd as HostFd, stat, realPath),
  };
}

function mappableFd(files: HostFiles, fd: HostFd, stat: HostStat, path: string): MappableFile {
  let spaces = 1;
  return {
    path,
    openPath: files.pathOfFd(fd),
    device: Number(stat.device),
    inode: Number(stat.inode),
    size: stat.size,
    read: (offset, target) => Math.max(0, files.read(fd, target, offset)),
    retain: () => void spaces++,
    release: () => {
      if (--spaces === 0) files.close(fd);
    },
  };
}

/** All of the file, for its symbols: possibly long after the program has ended and its file was closed. */
function readAgain(files: HostFiles, path: string, size: number): Uint8Array {
  const fd = files.open(bytePath(path), O_RDONLY, 0);
  if (fd < 0) return new Uint8Array(0);
  const bytes = readBytes(files, fd as HostFd, size);
  files.close(fd as HostFd);
  return typeof bytes === 'number' ? new Uint8Array(0) : bytes;
}

/** The first `size` bytes, fewer if the file is shorter, or a negative error number. */
function readBytes(files: HostFiles, fd: HostFd, size: number): Uint8Array | number {
  const bytes = new Uint8Array(size);
  let length = 0;
  while (length < size) {
    const n = files.read(fd, bytes.subarray(length), length);
    if (n < 0) return n;
    if (n === 0) break;
    length += n;
  }
  return bytes.subarray(0, length);
}
