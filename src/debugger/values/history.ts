/**
 * What a debugging session remembers of values: those that were shown (`$1`, `$$`), and variables of the user's
 * (`$foo`).
 */
import { VOID } from './madeTypes.js';
import { voidValue } from './scalars.js';
import type { Surroundings } from './surroundings.js';
import { Value } from './value.js';
import { fail } from './expressionError.js';

export class ValueHistory {
  private readonly shown: Value[] = [];
  private readonly variables = new Map<string, Value>();

  /** Remembers a value that is shown; its number. */
  add(value: Value): number {
    this.shown.push(value.kept());
    return this.shown.length;
  }

  /** As it was when it had so many. */
  forgetAfter(length: number): void {
    this.shown.length = Math.min(this.shown.length, length);
  }

  get length(): number {
    return this.shown.length;
  }

  /** `$number`, or counted from the last. An empty history has nothing but void. */
  at(number: number, isRelative: boolean, around: Surroundings): Value {
    const index = isRelative ? this.shown.length - number : number;
    if (isRelative && (this.shown.length === 0 || index <= 0)) return voidValue(around, VOID);
    return this.shown[index - 1] ?? fail(`History has not yet reached $${index}.`);
  }

  variable(name: string): Value | undefined {
    return this.variables.get(name);
  }

  /** Where a part of a variable lives is the variable itself. */
  set(name: string, value: Value): Value {
    const kept = new Value(value.around, value.type, { kind: 'convenience', name, offset: 0 }, value.contents, undefined);
    this.variables.set(name, kept);
    return kept;
  }

  names(): string[] {
    return [...this.variables.keys()];
  }
}
