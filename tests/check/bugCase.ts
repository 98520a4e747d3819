/** A program with one bug of one kind, or its clean twin. Places are marked in the sources, never given by number. */

export interface SourceFile {
  readonly name: string;
  readonly text: string;
}

export interface BugCase {
  /** `rule/scenario/flow/buggy`, `.../clean` or `.../optimised`. */
  readonly name: string;
  readonly rule: string;
  readonly buggy: boolean;
  /** The first one's suffix decides the compiler. */
  readonly sources: readonly SourceFile[];
  readonly flags: readonly string[];
}

export interface Place {
  readonly file: string;
  readonly line: number;
}

/** Where a comment such as `BUG` stands. */
export function markedPlaces(sources: readonly SourceFile[], mark: string): Place[] {
  return sources.flatMap(({ name, text }) =>
    text.split('\n').flatMap((line, i) => (line.includes(`/* ${mark} */`) ? [{ file: name, line: i + 1 }] : [])),
  );
}

/** Where the bug has to be reported. The same statement may stand twice, if a flow repeats it. */
export function bugPlaces(bugCase: BugCase): Place[] {
  return markedPlaces(bugCase.sources, 'BUG');
}

export function showPlace({ file, line }: Place): string {
  return `${file}:${line}`;
}
