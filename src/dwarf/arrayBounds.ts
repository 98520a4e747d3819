/** Dimensions of arrays: constants, or what is known only when the program runs (variable length arrays). */
import type { Die } from './die.js';
import { AT, FORM, TAG } from './dwarfConstants.js';
import { Variable, type Whereabouts } from './variable.js';

export interface Dimension {
  readonly lower: number;
  /** Undefined if open or dynamic. */
  readonly count: number | undefined;
  /**
   * Of a dynamic one: where its bound is found at a pc, and whether that is the last index or the number of elements.
   * If it is a variable's, the place has to be read; otherwise the expression's result is the bound.
   */
  readonly dynamic?: { readonly whereabouts: (pc: number) => Whereabouts; readonly isCount: boolean; readonly isVariable: boolean };
}

const LARGEST_COUNT = 2 ** 48;

/** The dimensions of an array's entry, outermost first; one open dimension if it has none. */
export function readDimensions(die: Die): Dimension[] {
  const dimensions: Dimension[] = [];
  for (const child of die.children()) {
    if (child.tag === TAG.SUBRANGE_TYPE) dimensions.push(readDimension(child));
    else if (child.tag === TAG.ENUMERATION_TYPE) dimensions.push({ lower: 0, count: child.childrenWithTag(TAG.ENUMERATOR).length });
  }
  return dimensions.length > 0 ? dimensions : [{ lower: 0, count: undefined }];
}

function readDimension(die: Die): Dimension {
  const lower = signedBound(die, AT.LOWER_BOUND) ?? 0;
  if (die.has(AT.COUNT)) return bounded(die, AT.COUNT, lower, (count) => count);
  if (die.has(AT.UPPER_BOUND)) return bounded(die, AT.UPPER_BOUND, lower, (upper) => upper - lower + 1);
  return { lower, count: undefined };
}

function bounded(die: Die, attribute: number, lower: number, countOf: (bound: number) => number): Dimension {
  const bound = signedBound(die, attribute);
  if (bound === undefined) return { lower, count: undefined, dynamic: { whereabouts: dynamicBound(die, attribute), isCount: attribute === AT.COUNT, isVariable: die.block(attribute) === undefined } };
  const count = countOf(bound);
  return { lower, count: count >= 0 && count <= LARGEST_COUNT ? count : undefined };
}

/** A constant bound. -1 (of an array without elements) may be stored as the largest number. */
function signedBound(die: Die, attribute: number): number | undefined {
  const form = die.form(attribute);
  if (form === FORM.SEC_OFFSET || form === FORM.LOCLISTX) return undefined;
  const value = die.constantValue(attribute);
  return value === undefined ? undefined : Number(BigInt.asIntN(64, value));
}

function dynamicBound(die: Die, attribute: number): (pc: number) => Whereabouts {
  return (pc) => {
    const block = die.block(attribute);
    if (block !== undefined) return { kind: 'expression', expression: block, unit: die.unit };
    const variable = die.reference(attribute);
    return variable === undefined ? { kind: 'optimisedOut' } : new Variable(variable).whereabouts(pc);
  };
}
