/** A variable or parameter: its name and type, and how to find it, which may depend on where the program stands. */
import { visible } from '../base/visible.js';
import type { Die } from './die.js';
import { AT, FORM, TAG } from './dwarfConstants.js';
import { declarationOf } from './functionInfo.js';
import type { SourceFile } from './lineHeader.js';
import { expressionAt } from './locationLists.js';
import { qualifiedName } from './qualifiedName.js';
import type { Unit } from './unit.js';

/** Where a value is to be had: an expression to evaluate, the value itself, or nowhere. */
export type Whereabouts =
  | { readonly kind: 'expression'; readonly expression: Uint8Array; readonly unit: Unit }
  | { readonly kind: 'constant'; readonly value: bigint }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'optimisedOut' };

const NOWHERE: Whereabouts = { kind: 'optimisedOut' };

export class Variable {
  constructor(readonly die: Die) {}

  get name(): string | undefined {
    return this.die.name;
  }

  get qualifiedName(): string | undefined {
    return this.die.unit.isC ? this.name : qualifiedName(this.die);
  }

  get linkageName(): string | undefined {
    const name = this.die.inherited((die) => die.string(AT.LINKAGE_NAME) ?? die.string(AT.MIPS_LINKAGE_NAME));
    return name === undefined ? undefined : visible(name);
  }

  /** The entry of its type; undefined for void or unknown. */
  get type(): Die | undefined {
    return this.die.inherited((die) => die.reference(AT.TYPE));
  }

  get isParameter(): boolean {
    return this.die.tag === TAG.FORMAL_PARAMETER;
  }

  /** Made by the compiler, like `this`. */
  get isArtificial(): boolean {
    return this.die.inherited((die) => (die.flag(AT.ARTIFICIAL) ? true : undefined)) ?? false;
  }

  get isExternal(): boolean {
    return this.die.inherited((die) => (die.flag(AT.EXTERNAL) ? true : undefined)) ?? false;
  }

  /** Declared here, defined elsewhere (`extern int x;`). */
  get isDeclaration(): boolean {
    return this.die.flag(AT.DECLARATION);
  }

  get declaration(): { readonly file: SourceFile | undefined; readonly line: number } | undefined {
    return declarationOf(this.die);
  }

  /** How to find it when the program is at `pc` (without load bias). */
  whereabouts(pc: number): Whereabouts {
    for (const die of this.die.origins()) {
      if (die.has(AT.LOCATION)) return expressionWhereabouts(die, AT.LOCATION, pc);
      const constant = constantOf(die);
      if (constant !== undefined) return constant;
    }
    return NOWHERE;
  }

  /** Whether it is the same place for all of the program: no register or frame is needed. */
  get isStatic(): boolean {
    const form = this.die.form(AT.LOCATION);
    return form === FORM.EXPRLOC || form === FORM.BLOCK1 ? isAddressExpression(this.die.block(AT.LOCATION)) : false;
  }
}

/** The expression of an attribute, by itself or from a list. */
export function expressionWhereabouts(die: Die, attribute: number, pc: number): Whereabouts {
  const expression = die.block(attribute) ?? expressionAt(die, attribute, pc);
  return expression === undefined || expression.length === 0 ? NOWHERE : { kind: 'expression', expression, unit: die.unit };
}

function constantOf(die: Die): Whereabouts | undefined {
  if (!die.has(AT.CONST_VALUE)) return undefined;
  const value = die.constantValue(AT.CONST_VALUE);
  if (value !== undefined) return { kind: 'constant', value };
  const text = die.string(AT.CONST_VALUE);
  const bytes = text === undefined ? die.block(AT.CONST_VALUE) : new TextEncoder().encode(`${text}\0`);
  return bytes === undefined ? undefined : { kind: 'bytes', bytes };
}

const OP_ADDR = 0x03;
const OP_ADDRX = 0xa1;
const OP_GNU_ADDR_INDEX = 0xfb;

function isAddressExpression(expression: Uint8Array | undefined): boolean {
  const first = expression?.[0];
  return first === OP_ADDR || first === OP_ADDRX || first === OP_GNU_ADDR_INDEX;
}
