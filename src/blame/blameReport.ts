/**
 * What blame says of a run, as values that JSON can carry: text, SARIF, lists and triage are made of it. Numbers are
 * times (instructions of the run) or counts; addresses are hexadecimal texts.
 */

/** `corruption`: memory was corrupted, or a bad address used, at `places[0]`. */
export type BlameVerdict =
  | 'corruption'
  /** The run failed, and memory is not the reason: `why` says what is. */
  | 'otherFailure'
  /** Nothing is wrong that any method can see. */
  | 'clean'
  /** No method came to an end: `why` says what stopped them. */
  | 'unknown';

export type BlameMethod = 'suppression' | 'guards' | 'reordering';

export interface BlamedFrame {
  readonly function: string | undefined;
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly module: string | undefined;
  readonly address: string;
}

/** A statement that may be the first point of memory corruption. */
export interface BlamedPlace extends BlamedFrame {
  /** Which methods name it. */
  readonly by: readonly BlameMethod[];
  /** What was done there, in one sentence. */
  readonly what: string;
  /** The rule of `culprit check` that it breaks, if one is known. */
  readonly rule: string | undefined;
  /** Of the statement's instance, in the recording that `recording` names. */
  readonly time: number;
  readonly stack: readonly BlamedFrame[];
  /** What was written over, or accessed: a variable or block, with what lies beside it. */
  readonly memory: string | undefined;
}

/** How a run ended badly. */
export interface BlamedFailure {
  readonly kind: 'crash' | 'abort' | 'hang' | 'finding';
  /** SIGSEGV, say; of a finding the rule. */
  readonly name: string;
  readonly message: string;
  readonly place: BlamedFrame;
  readonly time: number;
}

/** One execution of the search: what was left out, and what came of it. */
export interface BlameIteration {
  readonly method: BlameMethod;
  /** Definitions that were left out anew in this execution; none in the first. */
  readonly suppressed: readonly (BlamedFrame & { readonly time: number; readonly what: string })[];
  /** Lines of which something was left out. */
  readonly leftOut: readonly string[];
  /** Undefined: it ended without a failure. */
  readonly failure: BlamedFailure | undefined;
}

export interface BlameReport {
  readonly version: 1;
  readonly program: string;
  readonly recording: string | undefined;
  readonly verdict: BlameVerdict;
  /** The likeliest first. */
  readonly places: readonly BlamedPlace[];
  /** How the run itself ended, if that was badly. */
  readonly failure: BlamedFailure | undefined;
  readonly iterations: readonly BlameIteration[];
  /** How sure it is, and what would make it surer; why methods differ; what could not be moved. */
  readonly remarks: readonly string[];
  /** One sentence. */
  readonly why: string;
  /** Executions that it took, the first one included. */
  readonly runs: number;
}
