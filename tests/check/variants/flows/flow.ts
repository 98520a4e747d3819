/**
 * Ways of a value from where it comes into being to where it is used. @PROLOGUE@, @SOURCE@ and @SINK@ are replaced
 * by a scenario's parts; both find a variable `data` of type `Data`.
 */
export interface Flow {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  /** The source's frame lives while the sink runs. */
  readonly nested?: boolean;
  /** Works with values that are addresses only. */
  readonly pointers?: boolean;
  /** The value passes through a system call that looks at it. */
  readonly observed?: boolean;
}

export function cFlow(name: string, text: string, properties: Omit<Flow, 'name' | 'files'> = {}): Flow {
  return { name, files: { 'main.c': text }, ...properties };
}

export function cppFlow(name: string, text: string, properties: Omit<Flow, 'name' | 'files'> = {}): Flow {
  return { name, files: { 'main.cc': text }, ...properties };
}

export const NESTED = { nested: true };
