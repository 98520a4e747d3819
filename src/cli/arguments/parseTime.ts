/**
 * Times on the command line: numbers of instructions, with commas or underscores as people write them; or the N-th time
 * that a line, a statement or a function was reached, which is found in the recording when the command runs.
 */
import { InvalidArgumentError } from 'commander';
import { namesInstance } from '../../debugger/program/statementText.js';

/** FILE:LINE#N, FILE:LINE.K#N or FUNCTION#N. */
export interface InstanceTime {
  readonly instance: string;
}

export function parseInstructions(value: string): number {
  const digits = value.replace(/[,_]/g, '');
  const time = Number(digits);
  if (!/^\d+$/.test(digits) || !Number.isSafeInteger(time)) throw new InvalidArgumentError('It should be a number of instructions.');
  return time;
}

/** What commands get is a number: see `withTimes`. */
export function parseTime(value: string): number | InstanceTime {
  if (/^\d[\d,_]*$/.test(value)) return parseInstructions(value);
  if (namesInstance(value)) return { instance: value };
  throw new InvalidArgumentError('It should be a number of instructions, or FILE:LINE#N, FILE:LINE.K#N or FUNCTION#N.');
}

export function isInstanceTime(value: unknown): value is InstanceTime {
  return typeof value === 'object' && value !== null && 'instance' in value;
}
