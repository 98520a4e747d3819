/** What counts as the failure of a run, as the options of `culprit probe` say it. */
import { UserError } from '../../base/errors.js';
import { signalNumber } from '../../base/signalNames.js';
import type { Failure } from '../../probe/failure.js';

export interface FailureOptions {
  readonly exit?: number;
  readonly signal?: string;
  readonly output?: string;
  readonly expression?: string;
  readonly at?: string;
}

/** Undefined: how the recording ended. */
export function failureAsked({ exit, signal, output, expression, at }: FailureOptions): Failure | undefined {
  const asked: Failure[] = [];
  if (exit !== undefined) asked.push({ kind: 'exit', status: exit });
  if (signal !== undefined) asked.push({ kind: 'signal', signal: signalMeant(signal) });
  if (output !== undefined) {
    if (output === '') throw new UserError('--output: an empty text is in every output');
    asked.push({ kind: 'output', text: output });
  }
  if (expression !== undefined) {
    if (at === undefined) throw new UserError('--expression: say where it holds, as --at FILE:LINE');
    asked.push({ kind: 'holds', expression, place: at });
  } else if (at !== undefined) throw new UserError('--at: say what holds there, as --expression "p == 0"');
  if (asked.length > 1) throw new UserError('a run has one failure: say one of --exit, --signal, --output and --expression');
  return asked[0];
}

function signalMeant(text: string): number {
  const number = signalNumber(text);
  if (number === undefined) throw new UserError(`--signal ${text}: no such signal`);
  return number;
}
