/** Where a variable is, in gdb's words: for `info address` and `info scope`. */
import { AT, OP } from '../dwarf/dwarfConstants.js';
import { DwarfReader } from '../dwarf/dwarfReader.js';
import { unlessCorrupt } from '../dwarf/dwarfError.js';
import type { Variable } from '../dwarf/variable.js';
import { DWARF_REGISTERS } from '../debugger/program/programView.js';
import { hex } from './frameText.js';

const [FIRST_REGISTER, LAST_REGISTER] = [0x50, 0x6f];

export function variablePlace(variable: Variable, bias: bigint): string {
  if (!variable.die.has(AT.LOCATION)) return variable.whereabouts(0).kind === 'optimisedOut' ? 'optimized out' : 'constant';
  const expression = variable.die.block(AT.LOCATION);
  if (expression === undefined) return 'multi-location';
  return expression.length === 0 ? 'optimized out' : unlessCorrupt(() => expressionPlace(expression, bias), () => 'a complex DWARF expression');
}

function expressionPlace(expression: Uint8Array, bias: bigint): string {
  const reader = new DwarfReader('expression', expression);
  const operation = reader.u8();
  if (operation === OP.ADDR && expression.length === 9) return `static storage at address ${hex(reader.u64Big() + bias)}`;
  if (operation >= FIRST_REGISTER && operation <= LAST_REGISTER) return `a variable in $${DWARF_REGISTERS[operation - FIRST_REGISTER] ?? '?'}`;
  // gdb gives up where the frame's base is the canonical frame address, and shows the expression.
  if (operation === OP.FBREG) return `a complex DWARF expression:\n     0: DW_OP_fbreg ${reader.sleb()}\n`;
  return 'a complex DWARF expression';
}
