/** What a rule file says, as it is written: names are not resolved, nothing is inlined (see checker.ts for that). */
import type { RulePlace } from './problems.js';

/** H heap, F freed blocks, S stack, P pointer map, Trace events as in the paper; G global variables is ours. */
export const STATES = ['H', 'F', 'S', 'P', 'G', 'Trace'] as const;
export type StateName = (typeof STATES)[number];

export const SEVERITIES = ['error', 'warning', 'note'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const EVENT_KINDS = ['write', 'branch', 'malloc', 'free', 'call', 'ret'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export type BinaryOperator =
  | '||' | '&&'
  | '==' | '!=' | '<' | '<=' | '>' | '>='
  | '|' | '^' | '&' | '<<' | '>>' | '+' | '-' | '*' | '/' | '%';

type UnaryOperator = '!' | '-' | '~';

interface Placed {
  readonly place: RulePlace;
}

export type Expression = Placed &
  (
    | { readonly kind: 'number'; readonly value: bigint; readonly text: string }
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'boolean'; readonly value: boolean }
    | { readonly kind: 'null' }
    | { readonly kind: 'wildcard' }
    /** `fresh` is written `?f`: a variable where a name would otherwise be a function's. */
    | { readonly kind: 'name'; readonly name: string; readonly fresh: boolean }
    | { readonly kind: 'unary'; readonly operator: UnaryOperator; readonly operand: Expression }
    | { readonly kind: 'binary'; readonly operator: BinaryOperator; readonly left: Expression; readonly right: Expression }
    | { readonly kind: 'apply'; readonly name: string; readonly args: readonly Expression[] }
    | { readonly kind: 'findLast'; readonly pattern: EventPattern }
    | { readonly kind: 'member'; readonly element: Expression; readonly state: StateName }
    | { readonly kind: 'quantified'; readonly quantifier: 'exists' | 'forall'; readonly binder: Binder; readonly condition?: Expression }
  );

/** `event(k, malloc, n, bid)`; what is left out at the end is a wildcard. */
export interface EventPattern extends Placed {
  readonly time: Expression;
  readonly event: EventKind;
  readonly fields: readonly Expression[];
}

export type Binder = Placed &
  (
    | { readonly kind: 'event'; readonly pattern: EventPattern }
    | { readonly kind: 'block'; readonly block: Expression; readonly state: 'H' | 'F' | 'S' | 'G' }
    | { readonly kind: 'pointer'; readonly pointer: Expression; readonly block: Expression; readonly index: Expression }
    | { readonly kind: 'frame'; readonly fields: readonly Expression[] }
  );

export type PointKind = 'deref_r' | 'deref_w' | 'deref' | 'free' | 'call' | 'ret' | 'use' | 'exit';
export const USES = ['branch', 'address', 'syscall'] as const;
export type UseKind = (typeof USES)[number];

export interface Variable extends Placed {
  /** Undefined for a wildcard. */
  readonly name: string | undefined;
}

/** Where a rule is looked at. Which variables a point has is in points.ts. */
export interface Point extends Placed {
  readonly kind: PointKind;
  /** Of call and ret: a function or a set of functions, undefined for any. */
  readonly callee?: string;
  readonly calleePlace?: RulePlace;
  readonly use?: UseKind;
  readonly variables: readonly Variable[];
}

export interface Locator extends Placed {
  readonly value: Expression;
}

export interface RuleItem extends Placed {
  readonly kind: 'rule';
  readonly name: string;
  readonly states: readonly StateName[];
  readonly points: readonly Point[];
  readonly condition: Expression;
  readonly locators: readonly Locator[];
  readonly message?: Message;
  readonly help?: string;
  readonly severity?: Severity;
  readonly enabled?: boolean;
  /** The number of lines the rule takes in its file. */
  readonly lines: number;
}

/** Texts and the expressions between them, in order. */
export interface Message {
  readonly parts: readonly (string | Expression)[];
}

export interface DefineItem extends Placed {
  readonly kind: 'define';
  readonly name: string;
  readonly parameters: readonly Variable[];
  readonly body: Expression;
}

export interface FunctionsItem extends Placed {
  readonly kind: 'functions';
  readonly name: string;
  readonly members: readonly string[];
}

export interface IncludeItem extends Placed {
  readonly kind: 'include';
  readonly path: string;
}

export type Item = RuleItem | DefineItem | FunctionsItem | IncludeItem;

export interface RuleFile {
  readonly path: string;
  readonly items: readonly Item[];
}
