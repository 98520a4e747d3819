/** Why the program has stopped, as a `T` packet. */
import type { State, Thread } from '../replay/timeline/state.js';
import type { Arrival } from './arrival.js';
import { bytesOfText, hexOfBytes } from './hex.js';
import { gdbSignal, SIGNAL } from './signals.js';
import { registerHex, TARGET_REGISTERS } from './targetRegisters.js';
import { threadName } from './threadIds.js';

/** What the client said it understands. */
export interface ClientFeatures {
  multiprocess: boolean;
  swbreak: boolean;
  hwbreak: boolean;
  fork: boolean;
  vfork: boolean;
  exec: boolean;
}

/** Registers that every client asks for at once. */
const EXPECTED = ['rbp', 'rsp', 'rip'].map((name) => TARGET_REGISTERS.findIndex((register) => register.name === name));

export function stopReply(arrival: Arrival, thread: Thread | undefined, state: State, features: ClientFeatures): string {
  const signal = signalOf(arrival).toString(16).padStart(2, '0');
  if (thread === undefined) return `S${signal}`;
  const registers = EXPECTED.map((number) => `${number.toString(16).padStart(2, '0')}:${registerHex(state, thread.id, TARGET_REGISTERS[number] as (typeof TARGET_REGISTERS)[number])};`);
  return `T${signal}${reasonOf(arrival, features)}thread:${threadName(thread.pid, thread.tid, features.multiprocess)};core:0;${registers.join('')}`;
}

function signalOf(arrival: Arrival): number {
  if (arrival.kind === 'signal') return gdbSignal(arrival.signal);
  if (arrival.kind === 'jumped' || arrival.kind === 'calls') return 0;
  return arrival.kind === 'interrupted' ? SIGNAL.INT : SIGNAL.TRAP;
}

function reasonOf(arrival: Arrival, features: ClientFeatures): string {
  switch (arrival.kind) {
    case 'breakpoint':
      if (arrival.how === 'software') return features.swbreak ? 'swbreak:;' : '';
      return features.hwbreak ? 'hwbreak:;' : '';
    case 'watchpoint':
      return `${arrival.how}:${arrival.address.toString(16)};`;
    case 'call':
      return `syscall_${arrival.phase}:${arrival.number.toString(16)};`;
    case 'forked':
      return `${arrival.how}:${threadName(arrival.child, arrival.child, features.multiprocess)};`;
    case 'vforkDone':
      return 'vforkdone:;';
    case 'executed':
      return `exec:${hexOfBytes(bytesOfText(arrival.program))};`;
    case 'begin':
    case 'end':
      return `replaylog:${arrival.kind};`;
    default:
      return '';
  }
}
