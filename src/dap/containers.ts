/** Things with parts, as the client unfolds them: scopes, structures, arrays. */
import type { DebugProtocol } from '@vscode/debugprotocol';

export interface Page {
  /** Only those with names, or only those with numbers. */
  readonly filter: 'named' | 'indexed' | undefined;
  readonly start: number;
  /** 0: all. */
  readonly count: number;
}

export interface Container {
  /** How many there are; undefined if that takes a while to find out. */
  readonly named?: number;
  readonly indexed?: number;
  variables(page: Page): DebugProtocol.Variable[];
  /** An expression that means one of the variables; undefined if it is none of a program's. */
  expression(name: string): string | undefined;
}

/** What of a list the client wants to see. */
export function paged<T>(list: readonly T[], { start, count }: Page): readonly T[] {
  return list.slice(start, count === 0 ? undefined : start + count);
}
