/** /proc/PID/fdinfo: position, flags and more of each open file. */
import { bytePath, bytesOfBytePath } from '../../base/bytePath.js';
import { DT, O, SEEK } from '../files/fileConstants.js';
import type { Process } from '../process.js';
import type { VirtualNode } from './virtualNode.js';

/** We know nothing of mounts; all anonymous files are in one. */
const MOUNT = 17;

/** What is at /proc/PID/fdinfo/`name`, or there without one. */
export function fdInfoNode(process: Process, directory: string, name: string | undefined): VirtualNode | undefined {
  const { files } = process;
  if (name === undefined) {
    const entries = () => files.numbers().map((fd) => ({ name: bytePath(String(fd)), type: DT.REG }));
    return { kind: 'directory', path: bytePath(directory), mode: 0o555, of: process, guarded: true, entries };
  }
  const fd = /^\d+$/.test(name) ? Number(name) : -1;
  if (files.get(fd) === undefined) return undefined;
  return { kind: 'text', path: bytePath(`${directory}/${name}`), mode: 0o400, of: process, guarded: true, text: () => bytesOfBytePath(infoOf(process, fd)) };
}

function infoOf({ files }: Process, fd: number): string {
  const file = files.get(fd);
  if (file === undefined) return '';
  const stat = file.stat();
  const flags = file.flags | (files.closeOnExec(fd) ? O.CLOEXEC : 0);
  const inode = typeof stat === 'number' ? 0n : stat.inode;
  return `pos:\t${Math.max(0, file.seek(0, SEEK.CUR))}\nflags:\t0${flags.toString(8)}\nmnt_id:\t${MOUNT}\nino:\t${inode}\n${file.details()}`;
}
