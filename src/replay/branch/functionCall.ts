/** Lets a thread of a branch call a function, as debuggers do: with a return address at which it is stopped. */
import { UserError } from '../../base/errors.js';
import { type GuestAddr, guestAddr } from '../../base/types.js';
import { RUN_WORDS } from '../log/registerWords.js';
import type { State } from '../timeline/state.js';
import type { Work } from '../timeline/work.js';
import type { BranchExecution, FunctionCall, FunctionResult } from './branchExecution.js';
import type { RecordedBranch } from './recordedBranch.js';

const ARGUMENTS = ['rdi', 'rsi', 'rdx', 'rcx', 'r8', 'r9'] as const;
const MOST_VECTORS = 8;
/** Bytes below the stack pointer that the interrupted function may use. */
const RED_ZONE = 128n;
const DIRECTION_FLAG = 0x400n;

/** The registers are as before afterwards. Undefined: it did not return. */
export async function callFunction(branch: RecordedBranch, call: FunctionCall, work: Work | undefined): Promise<FunctionResult | undefined> {
  const { thread, vectors = [], stack = new Uint8Array() } = call;
  const { state } = branch;
  if (state.current?.id !== thread) throw new UserError('only the thread that runs can call a function');
  if (call.arguments.length > ARGUMENTS.length || vectors.length > MOST_VECTORS) throw new UserError('too many arguments: the rest has to be on the stack');
  const words = state.cpuWords(thread)?.slice(0, RUN_WORDS);
  if (words === undefined) throw new UserError(`there is no thread ${thread}`);
  const rip = valueOf(state, thread, 'rip');
  // At the call the stack is aligned, with the arguments on top of it and the return address above them.
  const top = (valueOf(state, thread, 'rsp') - RED_ZONE - BigInt(stack.length)) & ~0xfn;
  const onStack = new Uint8Array(8 + stack.length);
  new DataView(onStack.buffer).setBigUint64(0, rip, true);
  onStack.set(stack, 8);
  await branch.writeMemory(thread, Number(top - 8n), onStack);
  const registers: [string, bigint][] = [
    ['rip', BigInt(call.address)], ['rsp', top - 8n], ['rax', BigInt(vectors.length)], ['eflags', valueOf(state, thread, 'eflags') & ~DIRECTION_FLAG],
    ...call.arguments.map((value, i): [string, bigint] => [ARGUMENTS[i] as string, value]),
    ...vectors.map((value, i): [string, bigint] => [`xmm${i}`, value]),
  ];
  for (const [name, value] of registers) await branch.setRegister(thread, name, value);
  if (!(await runToReturn(branch, thread, guestAddr(Number(rip)), top, work))) return undefined;
  const [rax, rdx, xmm0, xmm1, st0, st1] = ['rax', 'rdx', 'xmm0', 'xmm1', 'st0', 'st1'].map((name) => valueOf(branch.state, thread, name)) as [bigint, bigint, bigint, bigint, bigint, bigint];
  await branch.alter({ kind: 'words', thread, words }, work);
  return { rax, rdx, xmm0, xmm1, st0, st1 };
}

function valueOf(state: State, thread: number, name: string): bigint {
  return state.register(thread, name) ?? 0n;
}

/** The same address may come by in a call inside the call: the stack tells. */
async function runToReturn(
  branch: BranchExecution,
  thread: number,
  address: GuestAddr,
  rsp: bigint,
  work: Work | undefined,
): Promise<boolean> {
  for (;;) {
    const hit = await branch.forward([{ kind: 'address', addresses: [address] }], work);
    if (hit === undefined) return false;
    if (hit.task === thread && branch.state.register(thread, 'rsp') === rsp) return true;
  }
}
