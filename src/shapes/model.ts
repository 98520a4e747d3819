/**
 * The memory graph of data structures, and how it came to be: what `history/` makes of an execution, and what
 * `checking/` and `locate/` work on. Nothing here knows the engine.
 *
 * A node is a piece of memory with a type: a heap block, an element of one, a variable. Its fields are numbered from
 * 1, in the order of their addresses, arrays and inner structures flattened, as the paper does it. The history is a
 * list of operations in the order of time. Each has what it takes to do it and to undo it, so that the graph of any
 * time is made from that of another one (Algorithm 2 of "Automatic Fault Location for Data Structures").
 */

/**
 * Integers beyond 2^53 are BigInts; floating point numbers, and all other values, are numbers. A text's value is the
 * integer that its bytes make, the first one lowest: so it can be compared, written and undone like all others.
 */
export type FieldValue = number | bigint;

export interface ShapeField {
  /** From 1. */
  readonly index: number;
  /** As C names it from the node: `key`, `child[2]`, `pos.x`. Empty if it is not known. */
  readonly name: string;
  readonly offset: number;
  readonly bytes: number;
  readonly kind: 'pointer' | 'signed' | 'unsigned' | 'float' | 'boolean' | 'text';
  /** Of a pointer: the type that it is declared to point to, if that is one of the specification. */
  readonly pointee?: string;
}

/** One object for each type of a history: what is known of its fields is looked up by it. */
export interface ShapeType {
  /** As the specification names it; that of a variable is the variable's name. */
  readonly name: string;
  readonly bytes: number;
  readonly fields: readonly ShapeField[];
  /** An array without a fixed number of fields: all fields are like this one, and there are as many as fit. */
  readonly element?: ShapeField;
}

/** From 0, in the order in which nodes are made, without gaps. */
export type NodeId = number;

/** A place in the program that did something, found when it is asked for. */
export interface StatementRef {
  /** Of the instruction. */
  readonly address: number;
  /** Of the thread. */
  readonly thread: number;
}

export type Operation =
  /** A node comes to be; its fields have these values then (of field 1 first). */
  | { readonly kind: 'made'; readonly time: number; readonly by: StatementRef; readonly node: NodeId; readonly type: ShapeType; readonly address: number; readonly bytes: number; readonly values: readonly FieldValue[] }
  /** It is freed, or its function has returned. */
  | { readonly kind: 'gone'; readonly time: number; readonly by: StatementRef; readonly node: NodeId }
  | { readonly kind: 'written'; readonly time: number; readonly by: StatementRef; readonly node: NodeId; readonly field: number; readonly before: FieldValue; readonly after: FieldValue };

/** A time at which the structure must hold. */
export interface CPoint {
  /** Operations with a smaller time have happened. */
  readonly time: number;
  /** Types that are meant; all if there are none. */
  readonly types: readonly string[];
  /** In words, for reports: `exit of insert`, `the end`, `the crash`. */
  readonly what: string;
}

/** The whole history, in order. Large ones are not in memory at once. */
export interface History {
  readonly length: number;
  at(index: number): Operation;
}

/** What the specification must know of the program: types, constants, functions that it may call. */
export interface ProgramTypes {
  /** A structure, class, union or typedef by its name, laid out; undefined if the program has none. */
  type(name: string): ShapeType | undefined;
  /** An enumerator or macro. */
  constant(name: string): FieldValue | undefined;
  /** Where a member lies in a type, by a path as C writes it; undefined if there is none. */
  offsetOf(type: string, path: string): number | undefined;
  /**
   * What a function of the program returns for these values, if it can be asked. It must depend on nothing but them:
   * checks are not repeated while they stay the same.
   */
  call?(name: string, values: readonly FieldValue[]): FieldValue | undefined;
}
