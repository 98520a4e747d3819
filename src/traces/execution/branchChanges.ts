/** What a script changes where a what-if branch begins. */
import { UserError } from '../../base/errors.js';
import { Backtrace } from '../../debugger/program/backtrace.js';
import type { Modules } from '../../debugger/program/modules.js';
import { ProgramView } from '../../debugger/program/programView.js';
import { Expressions } from '../../debugger/values/expressions.js';
import { ProgramSurroundings } from '../../debugger/values/programSurroundings.js';
import type { BranchExecution } from '../../replay/branch/branchExecution.js';
import type { Thread } from '../../replay/timeline/state.js';
import type { Work } from '../../replay/timeline/work.js';

/** In the order in which they are written. Of the thread that runs. */
export interface BranchChanges {
  /** Registers: `{ rax: 0 }`. */
  readonly set?: Readonly<Record<string, number | bigint>>;
  /**
   * Variables, or whatever else can stand on the left of an assignment, where the thread is: `{ 'p->count': 5 }`. A
   * text is an expression of C.
   */
  readonly write?: Readonly<Record<string, number | bigint | string>>;
  /** The next instruction is not executed. */
  readonly skip?: boolean;
  /** The next conditional jump goes the other way. */
  readonly flip?: boolean;
}

type Write = () => Promise<void>;

/** Throws a UserError if a change makes no sense there. */
export async function makeChanges(branch: BranchExecution, changes: BranchChanges, modules: Modules, work?: Work): Promise<void> {
  for (const [kind, change] of Object.entries(changes) as Entries) {
    if (kind === 'set') for (const [name, value] of Object.entries(change ?? {})) await setRegister(branch, name, value);
    if (kind === 'write') for (const [place, value] of Object.entries(change ?? {})) await assign(branch, place, value, modules);
    if (kind === 'skip' && change === true) await branch.skip(threadOf(branch).id);
    if (kind === 'flip' && change === true) await branch.flip(work);
  }
}

type Entries = { [K in keyof BranchChanges]-?: [K, BranchChanges[K]] }[keyof BranchChanges][];

function threadOf(branch: BranchExecution): Thread {
  const { current } = branch.state;
  if (current === undefined) throw new UserError('no thread runs at that time: there is nothing to change');
  return current;
}

async function setRegister(branch: BranchExecution, name: string, value: number | bigint): Promise<void> {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) throw new UserError(`${name}: no integer, or too large for a number: ${value}`);
  await branch.setRegister(threadOf(branch).id, name, BigInt(value));
}

/** As gdb's `set var`. */
async function assign(branch: BranchExecution, place: string, value: number | bigint | string, modules: Modules): Promise<void> {
  const thread = threadOf(branch);
  const program = new ProgramView(branch.state, thread, modules);
  const writes: Write[] = [];
  const around = new ProgramSurroundings(program, new Backtrace(program).innermost, {
    writeMemory: (address, bytes) => void writes.push(() => branch.writeMemory(thread.id, Number(address), bytes)),
    writeRegister: (name, now) => void writes.push(() => branch.setRegister(thread.id, name, now)),
  });
  new Expressions(around).evaluate(`${place} = ${value}`);
  for (const write of writes) await write();
}
