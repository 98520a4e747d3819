/**
 * A program counter that leads nowhere, as after a return to an address that was overwritten: where control was right
 * before. A stack that is broken cannot tell, but the run can.
 */
import { guestAddr } from '../base/types.js';
import type { ProgramView } from '../debugger/program/programView.js';
import { viewOf } from '../flow/ownCode.js';
import { at, type Position } from '../replay/log/position.js';
import type { Work } from '../replay/timeline/work.js';
import type { SliceSubject } from './subject.js';

interface WildJump<T> {
  readonly from: bigint;
  readonly to: bigint;
  /** Right before the instruction that jumped. */
  readonly position: Position;
  /** What `look` has seen there. */
  readonly there: T;
}

/** Undefined where there is code, or where another thread was under way before. It stands where it did afterwards. */
export async function wildJump<T>({ execution, thread, position, modules }: Pick<SliceSubject, 'execution' | 'thread' | 'position' | 'modules'>, look: (view: ProgramView) => T, work?: Work): Promise<WildJump<T> | undefined> {
  if (thread === undefined || position.time <= execution.start.time) return undefined;
  const { state } = execution;
  const to = state.register(thread.id, 'rip');
  if (to === undefined || state.permissions(thread.id, guestAddr(Number(to)))?.execute === true) return undefined;
  const before = at(position.time - 1);
  const home = execution.position;
  await execution.seek(before, work);
  try {
    const view = execution.state.current?.id === thread.id ? viewOf(execution.state, thread.id, modules) : undefined;
    return view === undefined ? undefined : { from: view.pc, to, position: before, there: look(view) };
  } finally {
    await execution.seek(home, work);
  }
}
