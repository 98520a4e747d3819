/** Things with parts, as the client unfolds them: scopes, structures, arrays. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Value } from '../debugger/values/value.js';
import type { ValueView } from './valueContainer.js';

export interface Page {
  /** Only those with names, or only those with numbers. */
  readonly filter: 'named' | 'indexed' | undefined;
  readonly start: number;
  /** 0: all. */
  readonly count: number;
}

export interface ValuePart {
  readonly name: string;
  readonly value: Value;
  /** What means it in expressions, if anything does. */
  readonly expression: string | undefined;
  readonly hint: DebugProtocol.VariablePresentationHint | undefined;
}

export interface Container {
  /** What its parts are values of. */
  readonly view: ValueView;
  /** How many there are; undefined if that takes a while to find out. */
  readonly named?: number;
  readonly indexed?: number;
  /** Where they are, if that is where a pointer leads to. */
  readonly isWithin?: bigint | undefined;
  variables(page: Page): DebugProtocol.Variable[];
  /** One of them. */
  part(name: string): ValuePart | undefined;
}

/** What of a list the client wants to see. */
export function paged<T>(list: readonly T[], { start, count }: Page): readonly T[] {
  return list.slice(start, count === 0 ? undefined : start + count);
}
