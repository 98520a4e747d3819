/**
 * What is clear without looking back: then the program is stopped before it goes on from a wrong place, perhaps for
 * ever.
 */
import { Backtrace } from '../../debugger/program/backtrace.js';
import type { ProgramView } from '../../debugger/program/programView.js';
import { isOwnCode } from '../../flow/ownCode.js';

/**
 * Whether a function of the user's has returned into the middle of a statement of his that no call comes from. Code
 * that is written to be returned to by other means is assembly, where every instruction has a line of its own, or
 * begins a statement, as handlers of exceptions do.
 */
export function isEvidentlyWrong(view: ProgramView, from: number): boolean {
  const to = Number(view.innermost().pc);
  const module = view.moduleAt(BigInt(to));
  if (module === undefined || !isOwnCode(view, from) || !isOwnCode(view, to) || new Backtrace(view).innermost?.scope === undefined) return false;
  const address = to - Number(module.bias);
  return module.file.lineRangeAt(address)?.start !== address;
}
