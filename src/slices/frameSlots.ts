/** Words of the stack that no source names: where functions keep return addresses, and the frame pointer of callers. */
import { savedAddress } from '../dwarf/unwind.js';
import type { ProgramView } from '../debugger/program/programView.js';
import type { VisibleFrame } from '../debugger/program/visibleFrame.js';

/** DWARF numbers. */
const [RBP, RSP] = [6, 7];
const WORD = 8n;
/** call rel32 */
const CALL = 0xe8;

/** `frames`: innermost first. Of a call that is about to be made, the word that it will put its return address in. */
export function frameSlotName(view: ProgramView, frames: readonly VisibleFrame[], address: bigint): string | undefined {
  const isAt = (slot: bigint | undefined): boolean => slot !== undefined && address >= slot && address < slot + WORD;
  const [innermost] = frames;
  const top = innermost?.stack.register(RSP);
  if (innermost !== undefined && top !== undefined && isAt(top - WORD)) return callName(view, innermost.pc);
  for (const { stack, kind, functionName } of frames) {
    const cfa = kind === 'normal' ? stack.cfa() : undefined;
    if (cfa === undefined) continue;
    if (isAt(cfa - WORD)) return `return address of ${functionName ?? '??'}`;
    const saved = stack.rules?.registers.get(RBP);
    if (saved !== undefined && isAt(savedAddress(saved, cfa, stack))) return `saved $rbp of ${functionName ?? '??'}`;
  }
  return undefined;
}

function callName(view: ProgramView, pc: bigint): string | undefined {
  const code = view.memory(pc, 5);
  if (code?.[0] !== CALL) return undefined;
  const target = pc + 5n + BigInt(new DataView(code.buffer, code.byteOffset).getInt32(1, true));
  return `return address of ${view.symbols.at(target)?.symbol.name.replace(/@plt$/, '') ?? '??'}`;
}
