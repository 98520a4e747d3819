/** Instructions in the protocol's words. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { locationAt } from '../debugger/program/resolveLocation.js';
import type { ProgramView } from '../debugger/program/programView.js';
import type { CodeInstruction } from '../debugger/values/disassembly.js';
import type { Adapter } from './adapter.js';
import { addressText } from './addresses.js';

/** With the source line of each instruction where it is another one than before. */
export function shownInstructions(adapter: Adapter, program: ProgramView, code: readonly CodeInstruction[], withSymbols: boolean): DebugProtocol.DisassembledInstruction[] {
  let path: string | undefined;
  let line = 0;
  return code.map((instruction) => {
    const shown = shownInstruction(program, instruction, withSymbols);
    if (instruction.bytes === undefined) return shown;
    const place = locationAt(program, instruction.address);
    if (place.path === undefined || place.line === 0 || (place.path === path && place.line === line)) return shown;
    [path, line] = [place.path, place.line];
    return { ...shown, location: adapter.sources.of(place.path), line: adapter.client.line(place.line) };
  });
}

function shownInstruction(program: ProgramView, { address, text, bytes }: CodeInstruction, withSymbols: boolean): DebugProtocol.DisassembledInstruction {
  const symbol = withSymbols && bytes !== undefined ? program.symbols.describe(address) : undefined;
  return {
    address: addressText(address), instruction: text,
    ...(bytes === undefined ? { presentationHint: 'invalid' as const } : { instructionBytes: Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(' ') }),
    ...(symbol === undefined ? {} : { symbol: symbol.slice(1, -1) }),
  };
}
