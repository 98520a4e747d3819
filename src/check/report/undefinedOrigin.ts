/**
 * Memory that has not been written, by the name of the local variable that it is: what is on the stack belongs to no
 * block.
 */
import type { GuestAddr } from '../../base/types.js';
import { Backtrace } from '../../debugger/program/backtrace.js';
import type { ProgramView } from '../../debugger/program/programView.js';
import { Expressions } from '../../debugger/values/expressions.js';
import { ProgramSurroundings } from '../../debugger/values/programSurroundings.js';
import { Naming } from '../../flow/naming.js';

export interface ReportedVariable {
  /** Undefined if debug information has none there. */
  readonly name: string | undefined;
  /** The function whose frame it is in. */
  readonly function: string | undefined;
}

const MOST_FRAMES = 100;

/** Undefined if the address is not on the thread's stack. */
export function variableAt(view: ProgramView, address: GuestAddr): ReportedVariable | undefined {
  const frames = new Backtrace(view).frames(MOST_FRAMES);
  const frame = frames.find(({ id }) => BigInt(address) < id.stack);
  if (frame === undefined || BigInt(address) + REACH < frame.id.stack) return undefined;
  const naming = new Naming(new Expressions(new ProgramSurroundings(view, frame)), '');
  return { name: naming.nameOf({ kind: 'memory', address, size: 1 }, 0n)?.name, function: frame.functionName };
}

/** Frames are not larger. */
const REACH = 0x80_0000n;
