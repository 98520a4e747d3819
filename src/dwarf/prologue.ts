/** Where a function's own work begins: after the instructions that set up its frame, as GDB finds it. */
import { AT, FORM, TAG } from './dwarfConstants.js';
import type { Scope } from './scope.js';
import { SPEC } from './abbreviations.js';
import type { Unit } from './unit.js';

/** Code of the program at an address (without load bias); undefined if there is none. */
export type ReadCode = (address: number, size: number) => Uint8Array | undefined;

const ENDBR64 = [0xf3, 0x0f, 0x1e, 0xfa];
const PUSH_RBP = 0x55;
const MOV_RSP_RBP = [[0x48, 0x89, 0xe5], [0x48, 0x8b, 0xec]];

/** Address for a breakpoint on a function. */
export function afterPrologue(scope: Scope, readCode: ReadCode): number {
  const { entry } = scope;
  const { unit } = scope.die;
  // Optimised code says where variables are at every address: then there is no need to wait.
  if (variablesAreTracked(unit)) return entry;
  const { lines } = unit;
  const pc = isFromLlvm(unit) ? secondLine(scope) : frameSetUp(entry, readCode);
  const row = lines?.at(pc);
  if (row === undefined || row.address === pc) return pc;
  return row.end > pc && scope.contains(row.end) ? row.end : pc;
}

/** Just after `push %rbp; mov %rsp,%rbp`; the entry itself if the function does not begin so. */
function frameSetUp(entry: number, readCode: ReadCode): number {
  const code = readCode(entry, 8);
  if (code === undefined) return entry;
  const start = startsWith(code, 0, ENDBR64) ? ENDBR64.length : 0;
  if (code[start] !== PUSH_RBP || !MOV_RSP_RBP.some((mov) => startsWith(code, start + 1, mov))) return entry;
  return entry + start + 4;
}

function startsWith(code: Uint8Array, at: number, bytes: readonly number[]): boolean {
  return bytes.every((byte, i) => code[at + i] === byte);
}

/** LLVM marks the end of the prologue, or at least begins a second line there. */
function secondLine(scope: Scope): number {
  const { entry } = scope;
  const lines = scope.die.unit.lines;
  const first = lines?.indexAt(entry) ?? -1;
  if (lines === undefined || first < 0) return entry;
  for (let i = first + 1; i < lines.rows.count; i++) {
    const row = lines.row(i);
    if (!scope.contains(row.address)) break;
    if (row.prologueEnd || (row.line !== 0 && row.address > entry)) return row.address;
  }
  return entry;
}

function isFromLlvm(unit: Unit): boolean {
  return /clang|LLVM|rustc/.test(unit.producer ?? '');
}

/** Whether the unit has variables with location lists, which only optimising compilers write. */
function variablesAreTracked(unit: Unit): boolean {
  if (!(unit.producer ?? '').startsWith('GNU ')) return false;
  const { tags, starts, specs } = unit.abbreviations;
  return tags.some((tag, i) => {
    if (tag !== TAG.VARIABLE && tag !== TAG.FORMAL_PARAMETER) return false;
    for (let at = starts[i] as number; at < (starts[i + 1] as number); at += SPEC) {
      if (specs[at] === AT.LOCATION && (specs[at + 1] === FORM.SEC_OFFSET || specs[at + 1] === FORM.LOCLISTX)) return true;
    }
    return false;
  });
}
