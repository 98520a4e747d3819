/** What the protocol calls exceptions: signals, and exceptions of C++. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { UserError } from '../base/errors.js';
import type { Catch } from '../debugger/control/breakpoints.js';
import { signalMessage, signalName, signalNumber } from '../base/signalNames.js';
import type { BreakpointRequest } from './breakpoints.js';

/** Signals of programs that do something wrong: one wants to know, whatever they do about it. */
const FATAL = ['SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGSYS', 'SIGTRAP'];
const OTHERS = [
  'SIGINT', 'SIGTERM', 'SIGQUIT', 'SIGHUP', 'SIGPIPE', 'SIGALRM', 'SIGUSR1', 'SIGUSR2', 'SIGCHLD', 'SIGCONT', 'SIGTSTP', 'SIGTTIN', 'SIGTTOU',
  'SIGURG', 'SIGXCPU', 'SIGXFSZ', 'SIGVTALRM', 'SIGPROF', 'SIGWINCH', 'SIGIO', 'SIGPWR',
];
const THROWING = [
  { filter: 'throw', label: 'C++: throw', description: 'Stops where an exception is thrown' },
  { filter: 'rethrow', label: 'C++: rethrow', description: 'Stops where an exception is thrown again' },
  { filter: 'catch', label: 'C++: catch', description: 'Stops where an exception is caught' },
] as const;

export const EXCEPTION_FILTERS: readonly DebugProtocol.ExceptionBreakpointsFilter[] = [
  ...THROWING,
  ...[...FATAL, ...OTHERS].map((name) => ({
    filter: name, label: `${name}: ${signalMessage(signalNumber(name) as number)}`, default: FATAL.includes(name),
    description: `Stops where ${name} takes effect`, supportsCondition: true, conditionDescription: 'Expression, e.g. count > 10',
  })),
];

interface ChosenFilter {
  readonly id: string;
  readonly condition: string | undefined;
}

export function exceptionRequests(chosen: readonly ChosenFilter[]): BreakpointRequest[] {
  return chosen.map(({ id, condition }) => ({
    key: JSON.stringify([id, condition]),
    reason: 'exception',
    make: (debug) => debug.breakpoints.addCatch(caughtBy(id), { condition: condition === '' ? undefined : condition }),
  }));
}

function caughtBy(id: string): Catch {
  const throwing = THROWING.find(({ filter }) => filter === id);
  if (throwing !== undefined) return { what: throwing.filter };
  const number = id.startsWith('SIG') ? signalNumber(id) : undefined;
  if (number === undefined) throw new UserError(`no such filter: ${id.slice(0, 40)}`);
  return { what: 'signal', numbers: [number] };
}

export function exceptionOf(signal: number): { readonly id: string; readonly description: string } {
  return { id: signalName(signal), description: signalMessage(signal) };
}
