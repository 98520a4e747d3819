/**
 * Specifications bound to a program's types: names are gone, fields are numbers, what a variable stands for is a
 * position in a binding. Nodes (`Vertex`), values (`Term`) and conditions (`Formula`) are three kinds of tree now.
 */
import type { Arithmetic, Comparison } from '../language/ast.js';
import type { FieldValue } from '../model.js';
import type { GraphRules } from './graphRules.js';

/** A field by its number, by its number in each type that has it, or by a computed one: `base + stride * index`. */
export type FieldChoice =
  | { readonly kind: 'fixed'; readonly index: number }
  | { readonly kind: 'named'; readonly byType: ReadonlyMap<string, number> }
  | { readonly kind: 'computed'; readonly base: number; readonly stride: number; readonly index: Term; readonly first: number; readonly last: number };

export type Vertex =
  | { readonly kind: 'variable'; readonly variable: number }
  /** What a field points to; a node of another type than the one expected counts as none. */
  | { readonly kind: 'pointee'; readonly vertex: Vertex; readonly field: FieldChoice; readonly type?: string }
  /** `container_of`: what a field points into, from which the offset leads to the node's start. */
  | { readonly kind: 'container'; readonly vertex: Vertex; readonly field: FieldChoice; readonly offset: number; readonly type: string }
  /** The node that begins at an address. */
  | { readonly kind: 'at'; readonly address: Term; readonly type: string };

/** Which edges count, by the type of the node that they leave and the field; all fields of a type if undefined. */
export type EdgeFilter = ReadonlyMap<string, ReadonlySet<number> | undefined>;

export type Term =
  | { readonly kind: 'value'; readonly value: FieldValue }
  | { readonly kind: 'text'; readonly text: string }
  /** `bare`: without the bits that are a tag. */
  | { readonly kind: 'field'; readonly vertex: Vertex; readonly field: FieldChoice; readonly bare: boolean }
  | { readonly kind: 'address'; readonly vertex: Vertex; readonly offset: number }
  | { readonly kind: 'degree'; readonly vertex: Vertex; readonly incoming: boolean; readonly through?: EdgeFilter }
  | { readonly kind: 'attribute'; readonly vertex: Vertex; readonly attribute: number }
  | { readonly kind: 'index' }
  | { readonly kind: 'arithmetic'; readonly operator: Arithmetic; readonly left: Term; readonly right: Term }
  | { readonly kind: 'negative' | 'absolute'; readonly of: Term }
  | { readonly kind: 'choose'; readonly test: Formula; readonly yes: Term; readonly no: Term }
  | { readonly kind: 'call'; readonly name: string; readonly of: readonly Term[] };

export type Formula =
  | { readonly kind: 'constant'; readonly value: boolean }
  | { readonly kind: 'compare'; readonly operator: Comparison; readonly left: Term; readonly right: Term }
  /** Both are the same node; a vertex that NULL leads to is the same as no node. */
  | { readonly kind: 'same'; readonly left: Vertex; readonly right: Vertex; readonly negated: boolean }
  | { readonly kind: 'edge' | 'path'; readonly from: Vertex; readonly to: Vertex; readonly through?: EdgeFilter; readonly negated: boolean }
  | { readonly kind: 'and' | 'or'; readonly left: Formula; readonly right: Formula }
  | { readonly kind: 'not'; readonly of: Formula };

export interface BoundVariable {
  readonly name: string;
  readonly type: string;
}

export interface BoundConstraint {
  readonly index: number;
  readonly name: string;
  /** As written; `messages.ts` fills in its values. */
  readonly message?: string;
  readonly messageParts: readonly (string | Term)[];
  /** Those that it must hold for all of, then those of which there must be some. */
  readonly variables: readonly BoundVariable[];
  readonly universal: number;
  readonly range?: { readonly from: Term; readonly to: Term };
  readonly guard?: Formula;
  readonly body: Formula;
  /** In the file. */
  readonly line: number;
  readonly text: string;
}

export interface BoundAttribute {
  readonly index: number;
  readonly type: string;
  readonly name: string;
  /** What NULL has. */
  readonly ofNull: FieldValue;
  readonly guard?: Formula;
  readonly terminal?: Term;
  readonly otherwise: Term;
}

export interface BoundSpecification {
  readonly constraints: readonly BoundConstraint[];
  readonly attributes: readonly BoundAttribute[];
  readonly rules: GraphRules;
  /** Types whose nodes the graph must have: those of variables, structures and roots. */
  readonly types: readonly string[];
  /** Asked for functions that we do not know ourselves. */
  readonly call?: (name: string, values: readonly FieldValue[]) => FieldValue | undefined;
}
