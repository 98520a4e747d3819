/**
 * The state of a triage as text, so that it can go on after a kill: a line of JSON for the command, then one for every
 * result. Lines are only ever added. A line that was cut off, or is damaged, counts as if it were not there, and so
 * does a second result of the same input.
 */
import { parseJson } from '../base/json.js';
import { type InputResult, readResult } from './inputResult.js';

const FORMAT = 'culprit triage 1';

/** `subject`: a hash of everything that results depend on: the command, the program, the limits. */
export function stateHeader(subject: string): string {
  return `${JSON.stringify({ format: FORMAT, subject })}\n`;
}

export function resultLine(result: InputResult): string {
  return `${JSON.stringify(result)}\n`;
}

/** Undefined if it is the state of something else. Without a whole line it is the state of whatever is to begin. */
export function readState(text: string, subject: string): Map<string, InputResult> | undefined {
  const results = new Map<string, InputResult>();
  // Not even the first line was written.
  if (!text.includes('\n')) return results;
  const [first = '', ...lines] = text.split('\n');
  const header = parsedLine(first) as { format?: unknown; subject?: unknown } | undefined;
  if (header?.format !== FORMAT || header.subject !== subject) return undefined;
  // What follows the last end of a line was cut off.
  for (const line of lines.slice(0, -1)) {
    const result = readResult(parsedLine(line));
    if (result !== undefined && !results.has(result.hash)) results.set(result.hash, result);
  }
  return results;
}

function parsedLine(line: string): unknown {
  try {
    return parseJson(line);
  } catch {
    return undefined;
  }
}
