/**
 * What a path is: a way through a program, as an analysis reports it. A report has any number of paths, each with its
 * role. A path is made of segments, each the code of one function as far as the path runs through it. A segment has
 * steps: a line, why it is there, the state. A step that is a detour (a call) has a segment of its own.
 *
 * Segments are nested by number instead of by containment: a stack of 10^5 frames is as deep as that, and neither
 * JSON nor those who walk through a path should need a stack of their own for it. A segment comes after the one that
 * its detour is in, and at most one detour leads to it; those that none leads to are the path's beginnings.
 */
export interface PathReport {
  /** What the tool that found it calls it: a rule, a checker, a kind of error. */
  readonly rule?: string;
  readonly level?: 'error' | 'warning' | 'note' | 'none';
  readonly message: string;
  readonly tool?: string;
  readonly paths: readonly Path[];
  readonly suppressions?: readonly Suppression[];
  /** The report as it was written, where it was a text. */
  readonly text?: ReportText;
}

export interface Suppression {
  readonly kind: 'inSource' | 'external';
  readonly status?: 'accepted' | 'underReview' | 'rejected';
  readonly justification?: string;
}

/**
 * The text of a report, with the range of each segment and step, all paths of the report one after the other, in the
 * order of `nodesOf`. Ranges are offsets in the text; the range of a detour contains that of its segment.
 */
interface ReportText {
  readonly whole: string;
  readonly ranges?: readonly TextRange[];
}

export type TextRange = readonly [start: number, end: number];

export interface Path {
  /** What it is in the report: flow, stack, location, related, traversal, graph, or what its tool calls it. */
  readonly role: string;
  readonly title?: string;
  /** Paths of one flow that run at the same time have the same group. */
  readonly group?: number;
  readonly thread?: string;
  readonly segments: readonly Segment[];
}

export interface Segment {
  readonly function?: string;
  readonly file?: string;
  readonly steps: readonly Step[];
}

export interface Step {
  /** Unless it is that of the segment. */
  readonly file?: string;
  /** Lines and columns count from 1. A step without a line is somewhere in the segment. */
  readonly line?: number;
  readonly column?: number;
  readonly endLine?: number;
  readonly endColumn?: number;
  readonly why?: string;
  readonly kinds?: readonly string[];
  readonly importance?: Importance;
  /** What expressions are there, or parameters. */
  readonly state?: Readonly<Record<string, string>>;
  /** Its place among the steps of all paths of its group. */
  readonly order?: number;
  /** The text of the line, as the tool has seen it. */
  readonly snippet?: string;
  readonly module?: string;
  /** The number of the segment that it calls, which makes it a detour. */
  readonly detour?: number;
}

export type Importance = 'important' | 'essential' | 'unimportant';

/** What a report knows of a file beside its name. */
export interface ReportedFile {
  readonly name: string;
  /** Where it was when the report was made, if that is not its name. */
  readonly path?: string;
  /** Its bytes' digests in hexadecimal, by algorithm: sha-256, sha-1, md5. */
  readonly hashes?: Readonly<Record<string, string>>;
  readonly text?: string;
}

/** The file that a step is in. */
export function fileOf(step: Step, segment: Segment): string | undefined {
  return step.file ?? segment.file;
}
