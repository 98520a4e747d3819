/** The host's file system as the loader wants it. */
import { E } from '../../base/errno.js';
import { bytePath } from '../../host/bytePath.js';
import type { HostFd, HostFiles, HostStat } from '../../host/host.js';
import { mappableBytes, type FileFacts, type LoaderFiles, type ProgramFile } from './loaderFiles.js';

const S_IFMT = 0o170000;
const S_IFREG = 0o100000;
const S_IFDIR = 0o040000;
const ANY_EXECUTE = 0o111;
const X_OK = 1;
const O_RDONLY = 0;

export function hostLoaderFiles(files: HostFiles): LoaderFiles {
  return {
    stat: (path) => statProgram(files, path),
    read: (path) => readProgram(files, path),
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

function readProgram(files: HostFiles, path: string): ProgramFile | number {
  const fd = files.open(bytePath(path), O_RDONLY, 0);
  if (fd < 0) return fd;
  const stat = files.statFd(fd as HostFd);
  const result = typeof stat === 'number' ? stat : readAll(files, fd as HostFd, stat, path);
  files.close(fd as HostFd);
  return result;
}

function readAll(files: HostFiles, fd: HostFd, stat: HostStat, path: string): ProgramFile | number {
  const bytes = new Uint8Array(stat.size);
  let length = 0;
  while (length < bytes.length) {
    const n = files.read(fd, bytes.subarray(length), length);
    if (n < 0) return n;
    if (n === 0) return -E.IO;
    length += n;
  }
  const link = files.readLink(files.pathOfFd(fd));
  const realPath = typeof link === 'number' ? path : link;
  return { realPath, bytes, mappable: mappableBytes(realPath, Number(stat.device), Number(stat.inode), bytes) };
}
