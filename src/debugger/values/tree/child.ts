/** What trees of values are made of: children with names or numbers, made as a view asks for them. */
import type { Format } from '../print/settings.js';
import type { Value } from '../value.js';

type ChildKind = 'base' | 'member' | 'static' | 'element' | 'target' | 'variable' | 'register';

export interface Child {
  /** `x`, `[3]`, `*p`, `Base`. */
  readonly name: string;
  readonly kind: ChildKind;
  /** Of members that are not public. */
  readonly visibility?: 'private' | 'protected';
  /** What means it in expressions; undefined if nothing does. */
  readonly expression: string | undefined;
  /** How it is best shown, if not in the usual way. */
  readonly format?: Format;
  /** Throws an ExpressionError if it is nowhere. */
  value(): Value;
}

export interface Children {
  /** Whether they have numbers; otherwise they have names. */
  readonly isIndexed: boolean;
  /** How many there are; undefined where only listing them tells. */
  readonly count: number | undefined;
  /** Where a pointer leads to, of what lies there. */
  readonly target?: bigint | undefined;
  /** Some of them, in order. Without a count: the rest, of arrays as many as fit on a page. */
  list(start?: number, count?: number): readonly Child[];
  find(name: string): Child | undefined;
}

/** Children that are all made at once, when the first is asked for. */
export function listed(make: () => readonly Child[], { isIndexed = false, count }: { readonly isIndexed?: boolean; readonly count?: number } = {}): Children {
  let made: readonly Child[] | undefined;
  const all = (): readonly Child[] => (made ??= make());
  return {
    isIndexed,
    count,
    list: (start = 0, wanted) => all().slice(start, wanted === undefined ? undefined : start + wanted),
    find: (name) => all().find((child) => child.name === name),
  };
}
