/**
 * A scenario is a bug without its surroundings: `source` assigns `data`, `sink` uses it, and one of the two is wrong in
 * the buggy twin. Code is in the common subset of C and C++, because flows are written in either.
 */

export interface Twins {
  readonly buggy: string;
  readonly clean: string;
}

export interface Scenario {
  readonly name: string;
  /** What flows from source to sink; `Data` in the code. */
  readonly type: string;
  /** Types and functions that both need. Stands in every file, so that what it defines is static. */
  readonly prologue?: string;
  readonly source: string | Twins;
  readonly sink: string | Twins;
  readonly language?: 'cc';
  /** The source's frame has to live while the sink runs. */
  readonly nested?: boolean;
  /** `data` is no pointer. */
  readonly scalar?: boolean;
  /** `data` itself has not been initialised in the buggy twin. */
  readonly undefinedValue?: boolean;
  /** Flows that would change what it is about. */
  readonly unless?: readonly string[];
}

/** C code as it is, backslashes included. */
export const c = String.raw;

export function twin(text: string | Twins, buggy: boolean): string {
  if (typeof text === 'string') return text;
  return buggy ? text.buggy : text.clean;
}
