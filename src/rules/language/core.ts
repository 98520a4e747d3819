/**
 * Rules after checking: names are slots, definitions are inlined, sorts are known, `forall` is `not exists not`.
 * Everything after the language (analysis, evaluation) works on this, and never on the tree of the source.
 *
 * A slot is given a value by the detection point or by the first pattern that binds it; later occurrences compare.
 */
import type { EventKind, PointKind, Severity, StateName, UseKind } from './ast.js';
import type { BuiltinName, Sort } from './builtins.js';
import type { RulePlace } from './problems.js';

export type ArithmeticOperator = '|' | '^' | '&' | '<<' | '>>' | '+' | '-' | '*' | '/' | '%';
export type ComparisonOperator = '==' | '!=' | '<' | '<=' | '>' | '>=';

export type Term = { readonly sort: Sort } & (
  | { readonly kind: 'number'; readonly value: bigint }
  | { readonly kind: 'function'; readonly name: string }
  | { readonly kind: 'slot'; readonly slot: number }
  | { readonly kind: 'apply'; readonly name: BuiltinName; readonly args: readonly Term[] }
  | { readonly kind: 'unary'; readonly operator: '-' | '~'; readonly operand: Term }
  | { readonly kind: 'binary'; readonly operator: ArithmeticOperator; readonly left: Term; readonly right: Term }
);

/**
 * How one field of an event, of an entry of P or of a frame is matched. `same`: as a field before it in the same
 * pattern.
 */
export type Field =
  | { readonly kind: 'any' }
  | { readonly kind: 'bind'; readonly slot: number }
  | { readonly kind: 'same'; readonly slot: number }
  | { readonly kind: 'equal'; readonly term: Term }
  | { readonly kind: 'names'; readonly names: readonly string[] };

export interface Pattern {
  readonly event: EventKind;
  readonly time: Field;
  /** By the names in EVENT_FIELDS; what is missing matches anything. */
  readonly fields: Readonly<Record<string, Field>>;
}

export type BlockState = 'H' | 'F' | 'S' | 'G';

export type Condition =
  | { readonly kind: 'constant'; readonly value: boolean }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Condition[] }
  | { readonly kind: 'not'; readonly part: Condition }
  | { readonly kind: 'compare'; readonly operator: ComparisonOperator; readonly left: Term; readonly right: Term }
  | { readonly kind: 'test'; readonly name: BuiltinName; readonly args: readonly Term[] }
  | { readonly kind: 'member'; readonly element: Term; readonly state: BlockState }
  /** `last`: FindLast, which looks at the last match only. */
  | { readonly kind: 'event'; readonly last: boolean; readonly pattern: Pattern; readonly condition: Condition }
  | { readonly kind: 'block'; readonly state: BlockState; readonly block: Field; readonly condition: Condition }
  | { readonly kind: 'pointer'; readonly pointer: Field; readonly block: Field; readonly index: Field; readonly condition: Condition }
  | { readonly kind: 'frame'; readonly callee: Field; readonly slotAddress: Field; readonly target: Field; readonly condition: Condition };

export interface CheckedPoint {
  readonly kind: PointKind;
  /** Undefined: any function. */
  readonly callees?: readonly string[];
  readonly use?: UseKind;
  /** By position; undefined for wildcards and what is left out. */
  readonly slots: readonly (number | undefined)[];
  readonly text: string;
}

export interface CheckedVariable {
  readonly name: string;
  readonly sort: Sort;
  /** Written in the rule itself, not in a definition that it uses. */
  readonly visible: boolean;
}

interface CheckedLocator {
  readonly text: string;
  readonly term: Term;
}

export interface CheckedRule {
  readonly name: string;
  readonly place: RulePlace;
  readonly severity: Severity;
  readonly enabled: boolean;
  readonly help?: string;
  readonly states: readonly StateName[];
  readonly points: readonly CheckedPoint[];
  readonly condition: Condition;
  readonly locators: readonly CheckedLocator[];
  readonly message: readonly (string | Term)[];
  /** Indexed by slot. */
  readonly variables: readonly CheckedVariable[];
  /** Lines of the rule and of the definitions it uses. */
  readonly lines: number;
  /** The rule as printed. */
  readonly text: string;
}
