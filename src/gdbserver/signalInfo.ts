/** `$_siginfo` for gdb, where a signal has stopped the program. */
import { signalInfo as infoOf } from '../debugger/control/signalInfo.js';
import type { Client } from './client.js';

/** Undefined if no signal has. */
export async function signalInfo({ arrival, debuggee }: Client): Promise<Uint8Array | undefined> {
  if (arrival.kind !== 'signal') return undefined;
  const { thread, signal } = arrival;
  const isFatal = debuggee.branch === undefined && debuggee.process.end?.time === debuggee.position.time;
  return infoOf(debuggee.execution, { thread, signal, pid: debuggee.pid, isFatal });
}
