/**
 * Asks everything there is to ask of some debug information. Corrupt answers are DwarfErrors; anything else is a bug of
 * ours.
 */
import { placesOfFunction, placesOfLine } from '../../src/dwarf/breakpointPlaces.js';
import { CallFrames } from '../../src/dwarf/callFrames.js';
import type { DebugInfo } from '../../src/dwarf/debugInfo.js';
import { DwarfError } from '../../src/dwarf/dwarfError.js';
import { rulesAt } from '../../src/dwarf/frameRules.js';
import { locationBytes } from '../../src/dwarf/locationBytes.js';
import { lineAt, sourceFrames } from '../../src/dwarf/sourceFrames.js';
import { StackFrame } from '../../src/dwarf/stackFrame.js';
import { typeBody } from '../../src/dwarf/typeBodies.js';
import { typeName } from '../../src/dwarf/typeNames.js';
import { strip } from '../../src/dwarf/types.js';
import type { Scope } from '../../src/dwarf/scope.js';
import type { DwarfSections } from '../../src/dwarf/dwarfSections.js';
import { unwind } from '../../src/dwarf/unwind.js';

/** Number of questions answered, and of those that were refused. */
export interface Answers {
  good: number;
  corrupt: number;
}

export function explore(info: DebugInfo, sections: DwarfSections, addresses: readonly number[]): Answers {
  const answers: Answers = { good: 0, corrupt: 0 };
  const ask = <T>(question: () => T): T | undefined => {
    try {
      const answer = question();
      answers.good++;
      return answer;
    } catch (error) {
      if (!(error instanceof DwarfError)) throw error;
      answers.corrupt++;
      return undefined;
    }
  };
  const frames = ask(() => CallFrames.of(sections)) ?? new CallFrames({});
  ask(() => exploreNames(info, ask));
  ask(() => info.sources.paths());
  for (const unit of ask(() => info.units) ?? []) ask(() => ask(() => unit.full.functions.all())?.slice(0, 40).forEach((scope) => exploreScope(info, frames, scope, ask, 0)));
  for (const address of addresses) {
    ask(() => lineAt(info, address));
    ask(() => sourceFrames(info, address));
    ask(() => frames.rulesAt(address));
  }
  ask(() => placesOfLine(info, 'inlined.c', 20, () => undefined));
  ask(() => exploreFrames(frames, ask));
  return answers;
}

type Ask = <T>(question: () => T) => T | undefined;

function exploreNames(info: DebugInfo, ask: Ask): void {
  for (const name of [...info.byName.names('function')].slice(0, 40)) {
    ask(() => info.byName.find(name));
    ask(() => placesOfFunction(info, name, () => undefined));
  }
  for (const name of [...info.byName.names('type')].slice(0, 60)) {
    for (const type of ask(() => info.types.find(name)) ?? []) {
      ask(() => typeName(type));
      ask(() => typeBody(type, info.types.of));
      ask(() => strip(type).size);
    }
  }
}

function exploreScope(info: DebugInfo, callFrames: CallFrames, scope: Scope, ask: Ask, depth: number): void {
  ask(() => [scope.function.qualifiedName, scope.function.linkageName, scope.function.declaration, scope.call]);
  const registers = Array.from({ length: 33 }, (_, i) => (i === 16 ? BigInt(Math.max(ask(() => scope.entry) ?? 0, 0)) : BigInt(0x7000_0000 + 16 * i)));
  const program = {
    moduleAt: () => ({ bias: 0n, info, frames: callFrames }),
    memory: (_: bigint, size: number) => new Uint8Array(size).fill(0x11),
    tlsAddress: (_: unknown, offset: bigint) => offset,
  };
  const frame = StackFrame.innermost(program, (n) => registers[n]);
  for (const variable of ask(() => scope.variables) ?? []) {
    const type = ask(() => info.types.of(variable.type));
    const location = ask(() => frame.locate(variable));
    if (type !== undefined) ask(() => typeName(type, variable.name));
    if (location !== undefined && type !== undefined) ask(() => locationBytes(location, Math.min(strip(type).size, 64), frame));
  }
  for (const child of depth > 20 ? [] : (ask(() => scope.children) ?? [])) exploreScope(info, callFrames, child, ask, depth + 1);
  ask(() => frame.caller()?.caller()?.calls);
}

function exploreFrames(frames: CallFrames, ask: Ask): void {
  const state = { bias: 0n, register: (n: number) => BigInt(n * 4096), memory: (_: bigint, size: number) => new Uint8Array(size) };
  for (const description of frames.all()) {
    const rules = ask(() => rulesAt(description, description.low + 5));
    if (rules !== undefined) ask(() => unwind(rules, state));
  }
}
