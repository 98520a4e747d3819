/**
 * What the kernel did to memory and to the registers of threads at an event, in order and without values: for those who
 * follow where values come from. Searches ask for less, and by address (eventHappenings.ts).
 */
import type { Effect } from '../log/effects.js';
import type { RecordedEvent } from '../log/events.js';
import { RAX, RIP, RSP } from '../../layout/cpuState.js';
import { SYSCALL_NAMES } from '../../base/syscallNames.js';
import type { Input } from '../log/inputs.js';
import { sentBy, withoutRanges } from './transferRanges.js';
import { channelOfFile, type ChannelPlace, type EventTransfers, type Transfer } from './transfers.js';

export type KernelChange =
  /**
   * Bytes were stored, on behalf of a thread. Addresses are plain ones. `from`: where they were sent to, by some thread
   * of the execution; `input`: what they came from, if they are from outside.
   */
  | { readonly kind: 'write'; readonly task: number; readonly space: number; readonly address: number; readonly bytes: number; readonly from?: ChannelPlace; readonly input?: string }
  /** What a system call has read from memory to know what to do. What it sends is no part of it. */
  | { readonly kind: 'ask'; readonly task: number; readonly space: number; readonly address: number; readonly bytes: number }
  /** Bytes of memory were sent to a file, pipe or socket. */
  | { readonly kind: 'send'; readonly task: number; readonly space: number; readonly address: number; readonly bytes: number; readonly to: ChannelPlace }
  /** From one file to another. */
  | { readonly kind: 'pass'; readonly task: number; readonly bytes: number; readonly from: ChannelPlace; readonly to: ChannelPlace }
  /** There is nothing more in a file from there on. */
  | { readonly kind: 'cut'; readonly at: ChannelPlace }
  /** Something else is there now: fresh memory, a file (which is a channel), or nothing. */
  | { readonly kind: 'replace'; readonly space: number; readonly address: number; readonly bytes: number; readonly file?: ChannelPlace; readonly isShared?: boolean }
  /** What is mapped there is fresh again: zeros, or what the file has. */
  | { readonly kind: 'refresh'; readonly space: number; readonly address: number; readonly bytes: number }
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
   * `context`: where they are put, if that is known (a ucontext_t).
   */
  | { readonly kind: 'handler'; readonly task: number; readonly rip: number | undefined; readonly context: number | undefined }
  /** It is over: the thread has its registers back, from `context`. */
  | { readonly kind: 'handled'; readonly task: number; readonly context: number };

const NO_TRANSFERS: EventTransfers = { all: [], isFed: () => false };
const TWO_32 = 0x1_0000_0000;
const RT_SIGRETURN = 15;
/** It stores nothing: what was stored before one has its result is of another. What it looks at is no data, either. */
const FUTEX = 202;

/** `transfers`: of the same event. */
export function kernelChanges({ effects, stop, task, registers }: RecordedEvent, { all: transfers, isFed }: EventTransfers = NO_TRANSFERS): KernelChange[] {
  const all: KernelChange[] = [];
  // A new process is told with the program that it has from its parent: that is no other one.
  const isExecuted = stop !== 'start' && !effects.some(({ op }) => op === 'process');
  const view = new DataView(registers.buffer, registers.byteOffset);
  const call = view.getUint32(RAX.offset, true);
  const rip = Number(view.getBigUint64(RIP.offset, true));
  if (stop === 'syscall' && call !== FUTEX) {
    const sent = sentBy({ name: SYSCALL_NAMES[call] ?? '', registers: view, inputs: effects.filter(({ op }) => op === 'input') as (Input & { op: 'input' })[] });
    for (const effect of effects) if (effect.op === 'input') all.push(...withoutRanges(effect, sent).map(({ address, bytes }) => ({ kind: 'ask', task, space: effect.space, address, bytes }) as const));
  }
  if (stop === 'syscall' && call === RT_SIGRETURN) all.push({ kind: 'handled', task, context: Number(view.getBigUint64(RSP.offset, true)) });
  let answer = -1;
  effects.forEach((effect, i) => {
    if (i > answer) {
      const next = effects.findIndex((other, k) => k >= i && isAnswer(other));
      answer = next < 0 ? Infinity : next;
      for (const one of transfers) if (one.effect === answer && one.kind === 'sent' && one.isEarly) all.push(...sends(one));
    }
    switch (effect.op) {
      case 'write': {
        // The result of a call that has waited comes after what was stored for it.
        const answered = effects[answer];
        const by = answered !== undefined && isAnswer(answered) && answered.number !== FUTEX ? answered.task : task;
        const received = transfers.find((one) => one.kind === 'received' && one.effect === answer);
        const written = { kind: 'write', task: by, space: effect.space, address: effect.address, bytes: effect.bytes.length } as const;
        return void all.push(...(received?.kind === 'received' ? receivedParts(written, received) : [written]));
      }
      case 'woken': case 'result':
        for (const one of transfers) {
          if (one.effect !== i) continue;
          if (one.kind === 'sent' && !one.isEarly) all.push(...sends(one));
          if (one.kind === 'passed') all.push({ kind: 'pass', task: one.task, bytes: one.bytes, from: one.from, to: one.to });
          if (one.kind === 'cut') all.push({ kind: 'cut', at: one.at });
        }
        return;
      case 'map': {
        const { start, end, device, inode, fileOffset, shared, object } = effect.mapping;
        const channel = channelOfFile(device, inode);
        const file = object === undefined || !isFed(channel) ? {} : { file: { channel, position: fileOffset }, isShared: shared };
        return void all.push({ kind: 'replace', space: effect.space, address: start, bytes: end - start, ...file });
      }
      case 'unmap': case 'discard': case 'forget':
        return void all.push({ kind: effect.op === 'unmap' ? 'replace' : 'refresh', space: effect.space, address: effect.start, bytes: effect.length });
      case 'copyPages': return void all.push({ kind: 'move', space: effect.space, from: effect.from, to: effect.to, bytes: effect.length });
      case 'copySpace': return void all.push({ kind: 'copy', space: effect.space, from: effect.from });
      case 'clear': return void all.push({ kind: 'clear', space: effect.space });
      case 'registers': return void (stop !== 'start' && all.push({ kind: 'thread', task: effect.task, by: task }));
      case 'program': return void (isExecuted && all.push({ kind: 'program', task }));
      case 'signal': return void (effect.handled && all.push({ kind: 'handler', task: effect.task, rip: effect.task === task ? rip : undefined, context: contextOf(effects, i, effect.task) }));
      default:
    }
  });
  return all;
}

/** A handler begins with its stack pointer right below the registers that were put away. */
function contextOf(effects: readonly Effect[], signal: number, task: number): number | undefined {
  const next = effects.slice(signal + 1).find((effect) => effect.op === 'run' || effect.op === 'signal');
  if (next?.op !== 'run' || next.task !== task) return undefined;
  const wordOf = (index: number): number | undefined => next.words.find(([word]) => word === index)?.[1];
  const low = wordOf(RSP.offset / 4);
  const stored = effects.findLast((effect, i) => i < signal && effect.op === 'write');
  if (low === undefined || stored?.op !== 'write') return undefined;
  // What was stored for the handler lies near.
  const high = wordOf(RSP.offset / 4 + 1) ?? Math.floor(stored.address / TWO_32);
  return high * TWO_32 + low + 8;
}

function isAnswer(effect: Effect): effect is Extract<Effect, { op: 'woken' | 'result' }> {
  return effect.op === 'woken' || effect.op === 'result';
}

function sends({ task, space, ranges, to }: Extract<Transfer, { kind: 'sent' }>): KernelChange[] {
  let { position } = to;
  return ranges.map(({ address, bytes }) => {
    const one = { kind: 'send', task, space, address, bytes, to: { channel: to.channel, position } } as const;
    position += bytes;
    return one;
  });
}

/** What was stored, cut into what was received and the rest. */
function receivedParts(written: Extract<KernelChange, { kind: 'write' }>, { ranges, from, name }: Extract<Transfer, { kind: 'received' }>): KernelChange[] {
  const parts: KernelChange[] = [];
  const end = written.address + written.bytes;
  let [at, offset] = [written.address, 0];
  for (const { address, bytes } of [...ranges]) {
    const [first, last] = [Math.max(written.address, address), Math.min(end, address + bytes)];
    if (first < last) {
      if (at < first) parts.push({ ...written, address: at, bytes: first - at });
      const place = from === undefined ? { input: name } : { from: { channel: from.channel, position: from.position + offset + first - address } };
      parts.push({ ...written, address: first, bytes: last - first, ...place });
      at = last;
    }
    offset += bytes;
  }
  if (at < end) parts.push({ ...written, address: at, bytes: end - at });
  return parts;
}
