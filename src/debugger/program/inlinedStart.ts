/**
 * Inlined calls that begin right where a thread stands. gdb does not show them as entered until the user steps into
 * them, or has set a breakpoint in them: so a step can go into a call that has no instruction of its own.
 */
import { unlessCorrupt } from '../../dwarf/dwarfError.js';
import type { Scope } from '../../dwarf/scope.js';
import { scopesAt } from '../../dwarf/sourceFrames.js';
import type { ProgramView } from './programView.js';

/**
 * How many of the inlined calls at `pc` have not been entered, from the innermost on. `meant`: those that the user
 * wants to see.
 */
export function inlinedCallsBeginningAt(program: ProgramView, pc: bigint, meant: readonly (Scope | undefined)[] = []): number {
  const module = program.moduleAt(pc);
  const info = module?.info;
  if (module === undefined || info === undefined) return 0;
  const address = Number(pc - module.bias);
  let count = 0;
  for (const scope of unlessCorrupt(() => scopesAt(info, address), () => [])) {
    if (scope.kind === 'block') continue;
    if (scope.kind !== 'inlined' || (scope.entry !== address && scope.contains(address - 1))) break;
    if (meant.some((other) => other !== undefined && isSameScope(functionScope(other), scope))) break;
    count++;
  }
  return count;
}

/** The function or copy that a block is in. */
function functionScope(scope: Scope): Scope {
  let around = scope;
  while (around.kind === 'block' && around.parent !== undefined) around = around.parent;
  return around;
}

function isSameScope(a: Scope, b: Scope): boolean {
  return a.die.unit === b.die.unit && a.die.offset === b.die.offset;
}
