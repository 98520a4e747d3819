/** Times on the command line: numbers of instructions, with commas or underscores as people write them. */
import { InvalidArgumentError } from 'commander';

export function parseTime(value: string): number {
  const digits = value.replace(/[,_]/g, '');
  const time = Number(digits);
  if (!/^\d+$/.test(digits) || !Number.isSafeInteger(time)) throw new InvalidArgumentError('It should be a number of instructions.');
  return time;
}
