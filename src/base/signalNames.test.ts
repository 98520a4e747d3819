import { expect, it } from 'vitest';
import { shellMessage, signalMessage, signalName, signalNumber } from './signalNames.js';

it('names and numbers go both ways', () => {
  for (let signal = 1; signal <= 64; signal++) expect(signalNumber(signalName(signal))).toBe(signal);
  expect(['SEGV', 'sigsegv', '11', 'POLL', 'IOT', 'RTMAX-1'].map(signalNumber)).toEqual([11, 11, 11, 29, 6, 63]);
  expect(['', 'SIG', 'NOPE', '0', '65', '1.5'].map(signalNumber)).toEqual(new Array(6).fill(undefined));
});

it('messages are those of the shell', () => {
  expect([11, 6, 8, 5, 33, 35].map(signalMessage)).toEqual([
    'Segmentation fault', 'Aborted', 'Floating point exception', 'Trace/breakpoint trap', 'Unknown signal 33',
    'Real-time signal 1',
  ]);
  expect(shellMessage(11, true)).toBe('Segmentation fault (core dumped)');
  expect(shellMessage(2, false)).toBeUndefined();
  expect(shellMessage(13, false)).toBeUndefined();
});
