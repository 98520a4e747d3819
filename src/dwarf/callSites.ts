/**
 * Calls as optimising compilers describe them: what values arguments had, in terms of the caller. Needed for entry
 * values.
 */
import type { Die } from './die.js';
import { AT, TAG } from './dwarfConstants.js';
import type { Scope } from './scope.js';

const DEEPEST = 64;

/** The call in a function after which the program goes on at `returnAddress` (without load bias). */
export function callSiteAt(caller: Scope, returnAddress: number): Die | undefined {
  return findCall(caller.die, returnAddress, 0);
}

/**
 * The expression, to be evaluated in the caller, for what `location` (a register, as in DW_OP_entry_value) held at the
 * call.
 */
export function argumentExpression(call: Die, location: Uint8Array): Uint8Array | undefined {
  const parameter = parameterAt(call, location);
  return parameter?.block(AT.CALL_VALUE) ?? parameter?.block(AT.GNU_CALL_SITE_VALUE);
}

/** The same for what the address in `location` referred to. */
export function referredExpression(call: Die, location: Uint8Array): Uint8Array | undefined {
  const parameter = parameterAt(call, location);
  return parameter?.block(AT.CALL_DATA_VALUE) ?? parameter?.block(AT.GNU_CALL_SITE_DATA_VALUE);
}

function parameterAt(call: Die, location: Uint8Array): Die | undefined {
  for (const parameter of call.children()) {
    if (parameter.tag !== TAG.CALL_SITE_PARAMETER && parameter.tag !== TAG.GNU_CALL_SITE_PARAMETER) continue;
    const place = parameter.block(AT.LOCATION);
    if (place !== undefined && sameBytes(place, location)) return parameter;
  }
  return undefined;
}

function findCall(die: Die, returnAddress: number, depth: number): Die | undefined {
  if (depth > DEEPEST) return undefined;
  for (const child of die.children()) {
    if (child.tag === TAG.CALL_SITE || child.tag === TAG.GNU_CALL_SITE) {
      if ((child.address(AT.CALL_RETURN_PC) ?? child.address(AT.LOW_PC)) === returnAddress) return child;
    } else if (child.tag === TAG.LEXICAL_BLOCK || child.tag === TAG.INLINED_SUBROUTINE) {
      const found = findCall(child, returnAddress, depth + 1);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
