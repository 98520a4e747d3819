/** Reading and writing the memory of another process: process_vm_readv, process_vm_writev. */
import { E } from '../../base/errno.js';
import { mayInspect } from '../proc/inspection.js';
import type { Process } from '../process.js';
import type { SyscallFamily } from '../syscall.js';
import type { SyscallArgs } from '../syscallArgs.js';
import { bufferOrNone, readVectors, type Vector } from './vectors.js';

function findProcess(p: Process, pid: number): Process | number {
  const other = p.world.processes.find((process) => process.pid === pid && process.exitStatus === undefined);
  if (other === undefined) return -E.SRCH;
  return mayInspect(p, other) ? other : -E.PERM;
}

function total(vectors: readonly Vector[]): number {
  return vectors.reduce((sum, { length }) => sum + length, 0);
}

/** All that the vectors of `p` have, as far as it can be read. */
function collect(p: Process, vectors: readonly Vector[], most: number): Uint8Array {
  const bytes = new Uint8Array(Math.min(total(vectors), most));
  let at = 0;
  for (const { address, length } of vectors) {
    const wanted = Math.min(length, bytes.length - at);
    const piece = bufferOrNone(p, address, wanted, 'read');
    bytes.set(piece, at);
    at += piece.length;
    if (piece.length < wanted) break;
  }
  return bytes.subarray(0, at);
}

/** How much could be written. */
function distribute(p: Process, vectors: readonly Vector[], bytes: Uint8Array): number {
  let at = 0;
  for (const { address, length } of vectors) {
    const wanted = Math.min(length, bytes.length - at);
    const piece = bufferOrNone(p, address, wanted, 'write');
    piece.set(bytes.subarray(at, at + piece.length));
    at += piece.length;
    if (piece.length < wanted) break;
  }
  return at;
}

function transfer(p: Process, a: SyscallArgs, writes: boolean): number {
  if (a.uint(5) !== 0) return -E.INVAL;
  const local = readVectors(p, a.addr(1), a.int(2));
  if (typeof local === 'number') return local;
  const remote = readVectors(p, a.addr(3), a.int(4));
  if (typeof remote === 'number') return remote;
  const other = findProcess(p, a.int(0));
  if (typeof other === 'number') return other;
  const [from, source, to, target] = writes ? [p, local, other, remote] : [other, remote, p, local];
  const bytes = collect(from, source, total(target));
  const count = distribute(to, target, bytes);
  return count > 0 || total(source) === 0 || total(target) === 0 ? count : -E.FAULT;
}

export const remoteMemoryCalls: SyscallFamily = {
  process_vm_readv: (p, a) => transfer(p, a, false),
  process_vm_writev: (p, a) => transfer(p, a, true),
};
