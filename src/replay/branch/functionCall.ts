/** Lets a thread of a branch call a function, as debuggers do: with a return address at which it is stopped. */
import { UserError } from '../../base/errors.js';
import { RUN_WORDS } from '../log/registerWords.js';
import type { Work } from '../timeline/work.js';
import type { BranchExecution, FunctionCall } from './branchExecution.js';
import type { RecordedBranch } from './recordedBranch.js';

const ARGUMENTS = ['rdi', 'rsi', 'rdx', 'rcx', 'r8', 'r9'] as const;
/** Bytes below the stack pointer that the interrupted function may use. */
const RED_ZONE = 128n;
const DIRECTION_FLAG = 0x400n;

/** What was in rax when it returned; the registers are then as before. Undefined: it did not return. */
export async function callFunction(branch: RecordedBranch, call: FunctionCall, work: Work | undefined): Promise<bigint | undefined> {
  const { thread } = call;
  const { state } = branch;
  if (state.current?.id !== thread) throw new UserError('only the thread that runs can call a function');
  if (call.arguments.length > ARGUMENTS.length) throw new UserError(`a function can be called with up to ${ARGUMENTS.length} arguments`);
  const words = state.cpuWords(thread)?.slice(0, RUN_WORDS);
  const [rip, rsp, eflags] = ['rip', 'rsp', 'eflags'].map((name) => state.register(thread, name)) as [bigint, bigint, bigint];
  if (words === undefined) throw new UserError(`there is no thread ${thread}`);
  const top = (rsp - RED_ZONE) & ~0xfn;
  await branch.writeMemory(thread, Number(top - 8n), new Uint8Array(BigUint64Array.of(rip).buffer));
  const registers: [string, bigint][] = [['rip', BigInt(call.address)], ['rsp', top - 8n], ['rax', 0n], ['eflags', eflags & ~DIRECTION_FLAG]];
  call.arguments.forEach((value, i) => registers.push([ARGUMENTS[i] as string, value]));
  for (const [name, value] of registers) await branch.setRegister(thread, name, value);
  if (!(await runToReturn(branch, thread, Number(rip), top, work))) return undefined;
  const result = branch.state.register(thread, 'rax');
  await branch.alter({ kind: 'words', thread, words }, work);
  return result;
}

/** The same address may come by in a call inside the call: the stack tells. */
async function runToReturn(branch: BranchExecution, thread: number, address: number, rsp: bigint, work: Work | undefined): Promise<boolean> {
  for (;;) {
    const hit = await branch.forward([{ kind: 'address', addresses: [address] }], work);
    if (hit === undefined) return false;
    if (hit.task === thread && branch.state.register(thread, 'rsp') === rsp) return true;
  }
}
