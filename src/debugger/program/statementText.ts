/** What people write for a statement, or for one of the times that it was reached: `FILE:LINE[.K][#N]`. */

export interface StatementText {
  /** Undefined: the file that one looks at. */
  readonly file: string | undefined;
  readonly line: number;
  /** Which statement of the line; undefined: all of it. */
  readonly part?: number;
  /** Which arrival, from 1 on; from -1 down: before where one stands. */
  readonly instance?: number;
}

/** A call of a function, `FUNCTION#N`. */
export interface CallText {
  readonly function: string;
  readonly instance: number;
}

const STATEMENT = /^(?:(?<file>.*[^:\s]):)?(?<line>\d+)(?:\.(?<part>\d+))?\s*(?:#(?<instance>-?\d+))?$/;
const CALL = /^(?<name>(?:[^\s#*]|::|\boperator\b)[^#]*?)\s*#(?<instance>-?\d+)$/;

/** Undefined if it is something else, such as the name of a function. */
export function parseStatement(text: string): StatementText | undefined {
  const { file, line, part, instance } = STATEMENT.exec(text.trim())?.groups ?? {};
  if (line === undefined) return undefined;
  return {
    file: file === undefined ? undefined : file.replace(/^(['"])(.*)\1$/, '$2'), line: Number(line),
    ...(part === undefined ? {} : { part: Number(part) }), ...(instance === undefined ? {} : { instance: Number(instance) }),
  };
}

export function parseCall(text: string): CallText | undefined {
  if (parseStatement(text) !== undefined) return undefined;
  const { name, instance } = CALL.exec(text.trim())?.groups ?? {};
  return name === undefined ? undefined : { function: name, instance: Number(instance) };
}

/** `FILE:LINE` of a text that says more; other texts as they are. */
export function lineOf(text: string): string {
  const { file, line, part, instance } = parseStatement(text) ?? {};
  if (line === undefined || (part === undefined && instance === undefined)) return text;
  return file === undefined ? String(line) : `${file}:${line}`;
}

/** Whether a text names a time that something was reached rather than a place. */
export function namesInstance(text: string): boolean {
  return parseStatement(text)?.instance !== undefined || parseCall(text) !== undefined;
}
