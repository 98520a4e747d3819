/** How a program's end becomes ours: as a shell does it. */
import { shellMessage } from '../../base/signalNames.js';
import { complain } from '../output/report.js';

type ProgramEnd = { readonly kind: 'exited'; readonly code: number } | { readonly kind: 'signaled'; readonly signal: number };

/** 128 + n for signal n, after the shell's message unless `isQuiet`. */
export function shellStatus(end: ProgramEnd, isQuiet = false): number {
  if (end.kind === 'exited') return end.code;
  const message = isQuiet ? undefined : shellMessage(end.signal, false);
  if (message !== undefined) complain(message);
  return 128 + end.signal;
}
