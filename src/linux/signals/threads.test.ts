/** Which of several threads gets a signal. */
import { beforeEach, expect, it } from 'vitest';
import { CODE, TestMachine } from './testMachine.js';
import { SIG, setOf } from '../../base/signalNumbers.js';
import type { SignalState } from './signalState.js';
import { SI, senderInfo } from './siginfo.js';
import { ThreadSignals } from './threadSignals.js';

const HANDLER = CODE + 0x800;
let signals: SignalState;
let main: ThreadSignals;
let other: ThreadSignals;

beforeEach(() => {
  const machine = new TestMachine();
  machine.handle(SIG.USR1, HANDLER);
  machine.handle(SIG.USR2, HANDLER);
  ({ signals } = machine);
  main = signals.thread;
  other = new ThreadSignals();
  signals.threads.length = 0;
  signals.threads.push(main, other);
});

function send(signal: number, to: 'process' | ThreadSignals): void {
  expect(signals.send(senderInfo(signal, SI.USER, 1, 1), to)).toBe(true);
}

/** Whether each of them would run a handler now. */
function interested(): boolean[] {
  return [main, other].map((thread) => {
    signals.thread = thread;
    return signals.hasDeliverable();
  });
}

it('a signal for the process goes to the main thread', () => {
  send(SIG.USR1, 'process');
  expect(interested()).toEqual([true, false]);
});

it('... and to another one if the main thread blocks it', () => {
  main.blocked = setOf(SIG.USR1);
  send(SIG.USR1, 'process');
  expect(interested()).toEqual([false, true]);
  signals.thread = other;
  expect(signals.deliverPending()).toBe('continue');
  expect(interested()).toEqual([false, false]);
});

it('... or waits until a thread unblocks it', () => {
  main.blocked = other.blocked = setOf(SIG.USR1);
  send(SIG.USR1, 'process');
  expect(interested()).toEqual([false, false]);
  other.blocked = 0n;
  expect(interested()).toEqual([false, true]);
});

it('a signal for a thread goes nowhere else', () => {
  other.blocked = setOf(SIG.USR2);
  send(SIG.USR2, other);
  expect(interested()).toEqual([false, false]);
  other.blocked = 0n;
  expect(interested()).toEqual([false, true]);
});

it('what becomes ignored is pending nowhere', () => {
  main.blocked = other.blocked = setOf(SIG.USR1);
  for (const to of ['process', main, other] as const) send(SIG.USR1, to);
  signals.setAction(SIG.USR1, { handler: 1n, flags: 0, restorer: 0n, mask: 0n });
  main.blocked = other.blocked = 0n;
  expect(interested()).toEqual([false, false]);
});
