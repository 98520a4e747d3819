/**
 * What the kernel did to memory and to the registers of threads at an event, in order and without values: for those who
 * follow where values come from. Searches ask for less, and by address (eventHappenings.ts).
 */
import type { RecordedEvent } from '../log/events.js';
import { RAX, RIP } from '../../layout/cpuState.js';

export type KernelChange =
  /** Bytes were stored, on behalf of a thread. Addresses are plain ones. */
  | { readonly kind: 'write'; readonly task: number; readonly space: number; readonly address: number; readonly bytes: number }
  /** Something else is there now: fresh memory, a file, or nothing. */
  | { readonly kind: 'replace'; readonly space: number; readonly address: number; readonly bytes: number }
  | { readonly kind: 'move'; readonly space: number; readonly from: number; readonly to: number; readonly bytes: number }
  /** A space became a copy of another. */
  | { readonly kind: 'copy'; readonly space: number; readonly from: number }
  | { readonly kind: 'clear'; readonly space: number }
  /** A thread came to be, maybe in a process of its own, with the registers of the one that made it. */
  | { readonly kind: 'thread'; readonly task: number; readonly by: number }
  /** The thread's registers are those of a new program. */
  | { readonly kind: 'program'; readonly task: number }
  /**
   * The handler of a signal begins: registers are put away. `rip`: the next instruction otherwise, if the thread ran.
   */
  | { readonly kind: 'handler'; readonly task: number; readonly rip: number | undefined }
  /** It is over: the thread has its registers back. */
  | { readonly kind: 'handled'; readonly task: number };

const RT_SIGRETURN = 15;

export function kernelChanges({ effects, stop, task, registers }: RecordedEvent): KernelChange[] {
  const all: KernelChange[] = [];
  // A new process is told with the program that it has from its parent: that is no other one.
  const isExecuted = stop !== 'start' && !effects.some(({ op }) => op === 'process');
  const view = new DataView(registers.buffer, registers.byteOffset);
  const call = view.getUint32(RAX.offset, true);
  const rip = Number(view.getBigUint64(RIP.offset, true));
  if (stop === 'syscall' && call === RT_SIGRETURN) all.push({ kind: 'handled', task });
  effects.forEach((effect, i) => {
    switch (effect.op) {
      case 'write': {
        // The result of a call that has waited comes after what was stored for it.
        const answered = effects.find((other, k) => k > i && other.op === 'result');
        const by = answered?.op === 'result' ? answered.task : task;
        return void all.push({ kind: 'write', task: by, space: effect.space, address: effect.address, bytes: effect.bytes.length });
      }
      case 'map': {
        const { start, end } = effect.mapping;
        return void all.push({ kind: 'replace', space: effect.space, address: start, bytes: end - start });
      }
      case 'unmap': case 'discard': case 'forget':
        return void all.push({ kind: 'replace', space: effect.space, address: effect.start, bytes: effect.length });
      case 'copyPages': return void all.push({ kind: 'move', space: effect.space, from: effect.from, to: effect.to, bytes: effect.length });
      case 'copySpace': return void all.push({ kind: 'copy', space: effect.space, from: effect.from });
      case 'clear': return void all.push({ kind: 'clear', space: effect.space });
      case 'registers': return void (stop !== 'start' && all.push({ kind: 'thread', task: effect.task, by: task }));
      case 'program': return void (isExecuted && all.push({ kind: 'program', task }));
      case 'signal': return void (effect.handled && all.push({ kind: 'handler', task: effect.task, rip: effect.task === task ? rip : undefined }));
      default:
    }
  });
  return all;
}
