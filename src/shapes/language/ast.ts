/**
 * What stands in a `.shape` file (docs/shapes.md). Values and conditions are one kind of tree: which of them may stand
 * where is said by `checker.ts`, and what names mean in a program by `checking/bind.ts`.
 */
import type { RulePlace } from '../../rules/language/problems.js';

export type ShapePlace = RulePlace;

interface Placed {
  readonly place: ShapePlace;
}

export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=';
export type Arithmetic = '+' | '-' | '*' | '/' | '%' | '&' | '<<' | '>>';

export type Expression =
  | (Placed & { readonly kind: 'number'; readonly value: number | bigint })
  | (Placed & { readonly kind: 'text'; readonly text: string })
  | (Placed & { readonly kind: 'null' })
  | (Placed & { readonly kind: 'boolean'; readonly value: boolean })
  /** A variable, a root, a range's index, or a constant. */
  | (Placed & { readonly kind: 'name'; readonly name: string })
  /** `X.left`, `X->left`, `X.INDEGREE`; with arguments `X.INDEGREE(node.next)`. */
  | (Placed & { readonly kind: 'member'; readonly base: Expression; readonly name: string; readonly arrow?: true; readonly of?: readonly MemberName[] })
  /** `X[2]`, `X.[2]`, `X[2].(1)`, `X.child[I + 1]`. */
  | (Placed & { readonly kind: 'index'; readonly base: Expression; readonly index: Expression })
  | (Placed & { readonly kind: 'address'; readonly of: Expression })
  | (Placed & { readonly kind: 'container'; readonly pointer: Expression; readonly type: string; readonly member: string })
  /** `at(T, address)`: the node that begins there. */
  | (Placed & { readonly kind: 'at'; readonly type: string; readonly address: Expression })
  | (Placed & { readonly kind: 'negative'; readonly of: Expression })
  | (Placed & { readonly kind: 'absolute'; readonly of: Expression })
  | (Placed & { readonly kind: 'arithmetic'; readonly operator: Arithmetic; readonly left: Expression; readonly right: Expression })
  | (Placed & { readonly kind: 'compare'; readonly operator: Comparison; readonly left: Expression; readonly right: Expression })
  | (Placed & { readonly kind: 'connect'; readonly from: Expression; readonly to: Expression; readonly path: boolean; readonly negated: boolean; readonly through?: readonly string[] })
  | (Placed & { readonly kind: 'and' | 'or'; readonly left: Expression; readonly right: Expression })
  | (Placed & { readonly kind: 'not'; readonly of: Expression })
  | (Placed & { readonly kind: 'choose'; readonly test: Expression; readonly yes: Expression; readonly no: Expression })
  | (Placed & { readonly kind: 'call'; readonly name: string; readonly of: readonly Expression[] });

/** A type, or a member of one: `node`, `node.next`. */
export interface MemberName {
  readonly type: string;
  readonly member?: string;
}

export interface Declaration extends Placed {
  readonly type: string;
  readonly name: string;
  /** `some T x;`: there must be such a node, rather than: it holds for all. */
  readonly some: boolean;
}

/** `T FIELD n EDGE m;`, `T EDGE left, right;` */
type StructureItem = Placed & {
  readonly kind: 'structure';
  readonly type: string;
  readonly fields?: number;
  /** How many fields are pointers, or which of them are edges. */
  readonly edges?: number | readonly string[];
};

/** When the structure must hold. */
export type PointPlace =
  | { readonly kind: 'entry' | 'exit'; readonly function: string }
  | { readonly kind: 'line'; readonly file: string; readonly line: number }
  | { readonly kind: 'every'; readonly operations: number }
  | { readonly kind: 'end' | 'crash' };

export type AttributeItem = Placed & {
  readonly kind: 'attribute';
  readonly type: string;
  readonly name: string;
  /** What NULL has, if the file says so. */
  readonly ofNull?: number;
  readonly variable: string;
  readonly guard?: Expression;
  /** With a guard: what it is where the guard holds. */
  readonly terminal?: Expression;
  readonly otherwise: Expression;
};

export type ConstraintItem = Placed & {
  readonly kind: 'constraint';
  /** As the file names it, or `c1`, `c2` in its order. */
  readonly name: string;
  readonly isNamed: boolean;
  readonly message?: string;
  readonly variables: readonly Declaration[];
  readonly range?: { readonly variable: string; readonly from: Expression; readonly to: Expression };
  readonly guard?: Expression;
  readonly body: Expression;
  readonly end: ShapePlace;
};

export type Item =
  | StructureItem
  | (Placed & { readonly kind: 'array'; readonly type: string })
  /** `TYPE node = "struct entry";` */
  | (Placed & { readonly kind: 'type'; readonly type: string; readonly program: string })
  /** `T NAME next = link.fwd;`: what the file calls a field that the program calls something else. */
  | (Placed & { readonly kind: 'names'; readonly type: string; readonly names: readonly (readonly [ours: string, program: string])[] })
  /** `include "list";`: statements of another file. */
  | (Placed & { readonly kind: 'include'; readonly path: string })
  /** `T EMBED link;`: pointers to that member are pointers to the node. */
  | (Placed & { readonly kind: 'embed'; readonly type: string; readonly members: readonly string[] })
  /** `T TAG parent 3;`: these bits of a pointer are not part of the address. */
  | (Placed & { readonly kind: 'tag'; readonly type: string; readonly member: string; readonly mask: number | bigint })
  /** `ROOT head;`: a variable of the program. */
  | (Placed & { readonly kind: 'root'; readonly name: string })
  | (Placed & { readonly kind: 'constant'; readonly name: string; readonly value: number | bigint })
  /** `T AT "tree.c:19";`: what is allocated there. */
  | (Placed & { readonly kind: 'site'; readonly type: string; readonly site: string })
  | (Placed & { readonly kind: 'allocator'; readonly name: string })
  | (Placed & { readonly kind: 'point'; readonly types: readonly string[]; readonly point: PointPlace })
  | AttributeItem
  | ConstraintItem;

export interface ShapeFile {
  readonly file: string;
  readonly items: readonly Item[];
}

const STANDARD_ATTRIBUTES = ['INDEGREE', 'OUTDEGREE', 'EXTERNAL', 'INTERNAL', 'ISROOT', 'ISLEAF'] as const;
type StandardAttribute = (typeof STANDARD_ATTRIBUTES)[number];

export function isStandardAttribute(name: string): name is StandardAttribute {
  return (STANDARD_ATTRIBUTES as readonly string[]).includes(name);
}
