/** Expressions as they were written, with types already found. */
import type { Type } from '../../../dwarf/types.js';
import type { BigFloat } from '../bigFloat.js';

export type UnaryOperator = '-' | '+' | '!' | '~' | '*' | '&' | '++' | '--';
export type BinaryOperator =
  | '+' | '-' | '*' | '/' | '%' | '<<' | '>>' | '&' | '|' | '^' | '&&' | '||' | '==' | '!=' | '<' | '>' | '<=' | '>=' | '@' | ',';
export type ArithmeticOperator = '+' | '-' | '*' | '/' | '%' | '<<' | '>>' | '&' | '|' | '^';

export type Expression =
  | { readonly kind: 'integer'; readonly value: bigint; readonly type: Type }
  | { readonly kind: 'float'; readonly value: BigFloat; readonly type: Type }
  | { readonly kind: 'string'; readonly units: readonly number[]; readonly type: Type }
  /** `name`, `a::b`, `::g`: as written, without blanks. */
  | { readonly kind: 'name'; readonly name: string }
  /** `file.c::name`, `function::name`. */
  | { readonly kind: 'scoped'; readonly scope: string; readonly name: string }
  /** `$name`: a register or a variable of the debugger's. */
  | { readonly kind: 'dollar'; readonly name: string }
  /** `$3`, or `$$2`: counted from the last. */
  | { readonly kind: 'history'; readonly number: number; readonly isRelative: boolean }
  /** `name@entry`. */
  | { readonly kind: 'entryValue'; readonly name: string }
  | { readonly kind: 'unary'; readonly operator: UnaryOperator; readonly operand: Expression }
  | { readonly kind: 'postfix'; readonly operator: '++' | '--'; readonly operand: Expression }
  | { readonly kind: 'binary'; readonly operator: BinaryOperator; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'assign'; readonly operator: ArithmeticOperator | undefined; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'conditional'; readonly condition: Expression; readonly yes: Expression; readonly no: Expression }
  | { readonly kind: 'cast'; readonly type: Type; readonly operand: Expression; readonly word?: 'reinterpret' | 'dynamic' }
  /** `{type} address`. */
  | { readonly kind: 'at'; readonly type: Type; readonly operand: Expression }
  | { readonly kind: 'sizeof'; readonly operand: Expression }
  | { readonly kind: 'alignof'; readonly type: Type }
  | { readonly kind: 'index'; readonly array: Expression; readonly index: Expression }
  | { readonly kind: 'member'; readonly object: Expression; readonly name: string; readonly throughPointer: boolean }
  | { readonly kind: 'memberPointer'; readonly object: Expression; readonly member: Expression; readonly throughPointer: boolean }
  | { readonly kind: 'call'; readonly callee: Expression; readonly values: readonly Expression[] }
  /** `{1, 2}`. */
  | { readonly kind: 'array'; readonly elements: readonly Expression[] }
  /** A type where an expression could be: `sizeof (int)`, `whatis int *`. */
  | { readonly kind: 'type'; readonly type: Type };
