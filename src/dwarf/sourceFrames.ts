/** What the source says about an address: line, function, and the chain of calls that were inlined there. */
import type { DebugInfo } from './debugInfo.js';
import type { SourceFile } from './lineHeader.js';
import type { LineRow } from './lineTable.js';
import type { Scope } from './scope.js';

/** One call: the function (or inlined copy) and where in it the program is. */
export interface SourceFrame {
  readonly scope: Scope;
  readonly file: SourceFile | undefined;
  /** 0 if not known. */
  readonly line: number;
  readonly column: number;
}

/** The line that a debugger shows for an address (without load bias). */
export function lineAt(info: DebugInfo, address: number): LineRow | undefined {
  for (const unit of info.byAddress.unitsAt(address)) {
    const row = unit.lines?.statementAt(address);
    if (row !== undefined) return row;
  }
  return undefined;
}

/** Scopes around an address, innermost first, the function that has the code last; empty outside of functions. */
export function scopesAt(info: DebugInfo, address: number): readonly Scope[] {
  return info.scopeChains.at(address, () => findScopes(info, address));
}

function findScopes(info: DebugInfo, address: number): readonly Scope[] {
  for (const unit of info.byAddress.unitsAt(address)) {
    const found = unit.functions.at(address);
    if (found !== undefined) return found.chainAt(address);
  }
  return [];
}

/** The calls at an address, innermost first: inlined ones, then the function that they were inlined into. */
export function sourceFrames(info: DebugInfo, address: number, row: LineRow | undefined = lineAt(info, address)): SourceFrame[] {
  let place: { readonly file: SourceFile | undefined; readonly line: number; readonly column: number } = row ?? { file: undefined, line: 0, column: 0 };
  const frames: SourceFrame[] = [];
  for (const scope of scopesAt(info, address)) {
    if (scope.kind === 'block') continue;
    frames.push({ scope, file: place.file, line: place.line, column: place.column });
    place = scope.call ?? place;
  }
  return frames;
}
