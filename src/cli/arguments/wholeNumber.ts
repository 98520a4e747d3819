/** Numbers of things on the command line. */
import { InvalidArgumentError } from 'commander';

/** Reads a number in these bounds. */
export function whole(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < least || number > most) throw new InvalidArgumentError(`It should be a number from ${least} to ${most}.`);
    return number;
  };
}
