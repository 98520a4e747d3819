/**
 * What counts as the failure of a run, and what is to be said of a run in which something was altered: does it still
 * fail? A failure that has become another one has not gone away.
 */
import { UserError } from '../base/errors.js';
import { signalName } from '../base/signalNames.js';
import type { RecordedEnd } from '../whatIf/recordedOutput.js';
import type { TrialEnd } from '../whatIf/trial.js';

export type Failure =
  /** The first process is killed by it; SIGABRT: by itself. */
  | { readonly kind: 'signal'; readonly signal: number }
  /** It exits with this status; undefined: with any but 0. */
  | { readonly kind: 'exit'; readonly status: number | undefined }
  /** It writes this text to stdout or stderr. */
  | { readonly kind: 'output'; readonly text: string }
  /** An expression is true where control is at a place: FILE:LINE, a function, or one instance, as FILE:LINE#N. */
  | { readonly kind: 'holds'; readonly expression: string; readonly place: string };

export type Outcome =
  /** The failure has gone away. `exited`: the run ended; `limit`: it was still running when it was given up. */
  | { readonly verdict: 'gone'; readonly end: TrialEnd }
  /** As before. */
  | { readonly verdict: 'fails'; readonly end: TrialEnd | undefined }
  /** In another way: a crash, another status, threads that wait for ever. */
  | { readonly verdict: 'otherwise'; readonly end: TrialEnd }
  /** What would have come of it cannot be told. */
  | { readonly verdict: 'unknown'; readonly why: string }
  /** It could not be altered. */
  | { readonly verdict: 'refused'; readonly why: string };

/** What is the same for all that is tried. */
export interface AttemptRules {
  readonly failure: Failure;
  /** How the recording ended. */
  readonly ending: RecordedEnd | undefined;
  /** Instructions that a branch may take. */
  readonly limit: number;
}

/** What an altered run has come to. */
interface AlteredRun {
  readonly end: TrialEnd;
  /** All that it wrote, from the program's start on. */
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
}

const SIGABRT = 6;

/** How the recording ended, if that was badly. Throws a UserError if it was not. */
export function failureOf(end: RecordedEnd | undefined): Failure {
  const others = 'say what is wrong with it: --exit, --signal, --output, or --expression with --at';
  if (end === undefined) throw new UserError(`how the program ended was not recorded; ${others}`);
  if (end.kind === 'signaled') return { kind: 'signal', signal: end.signal };
  if (end.code === 0) throw new UserError(`the program exited with status 0; ${others}`);
  return { kind: 'exit', status: undefined };
}

/** Of all failures but expressions, which have to be looked for while the program runs. */
export function outcomeOf({ failure, ending }: Pick<AttemptRules, 'failure' | 'ending'>, run: AlteredRun): Outcome {
  const { end } = run;
  if (isFailing(failure, run)) return { verdict: 'fails', end };
  if (failure.kind !== 'signal' && failure.kind !== 'exit' && isSameEnd(end, ending)) return { verdict: 'gone', end };
  switch (end.kind) {
    case 'unsupported': return { verdict: 'unknown', why: end.why };
    case 'limit': return { verdict: 'gone', end };
    case 'exited': return failure.kind === 'exit' && failure.status === undefined && end.code !== 0 ? { verdict: 'otherwise', end } : { verdict: 'gone', end };
    case 'killed':
    case 'abort':
    case 'deadlock': return { verdict: 'otherwise', end };
  }
}

/** A run that fails by what it writes may end as it likes, as the recording did. */
function isSameEnd(end: TrialEnd, ending: RecordedEnd | undefined): boolean {
  return ending?.kind === 'signaled' && signalOf(end) === ending.signal;
}

/** With any status but 0 it fails; which one is only told if it was asked for. */
function isFailing(failure: Failure, { end, stdout, stderr }: AlteredRun): boolean {
  switch (failure.kind) {
    case 'signal': return signalOf(end) === failure.signal;
    case 'exit': return end.kind === 'exited' && end.code === failure.status;
    case 'output': return contains(stdout, failure.text) || contains(stderr, failure.text);
    case 'holds': return false;
  }
}

function signalOf(end: TrialEnd): number | undefined {
  return end.kind === 'abort' ? SIGABRT : end.kind === 'killed' ? end.signal : undefined;
}

function contains(bytes: Uint8Array, text: string): boolean {
  return placeIn(bytes, text) >= 0;
}

/** Where in the bytes the text begins, the first time; -1 if it is not there. */
export function placeIn(bytes: Uint8Array, text: string): number {
  const wanted = new TextEncoder().encode(text);
  const first = wanted[0];
  if (first === undefined) return -1;
  for (let at = bytes.indexOf(first); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (wanted.every((byte, i) => bytes[at + i] === byte)) return at;
  }
  return -1;
}

export function failureText(failure: Failure): string {
  switch (failure.kind) {
    case 'signal': return `killed by ${signalName(failure.signal)}`;
    case 'exit': return failure.status === undefined ? 'an exit with another status than 0' : `an exit with status ${failure.status}`;
    case 'output': return `${JSON.stringify(failure.text)} in the output`;
    case 'holds': return `${failure.expression} at ${failure.place}`;
  }
}
