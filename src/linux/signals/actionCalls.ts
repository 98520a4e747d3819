/** System calls about actions, masks and the alternate stack; and the way back from a handler. */
import { E } from '../../base/errno.js';
import { RSP } from '../../layout/cpuState.js';
import type { AddressSpace } from '../../machine/addressSpace.js';
import type { Process } from '../process.js';
import type { SyscallFamily } from '../syscall.js';
import type { SyscallArgs } from '../syscallArgs.js';
import { STACK_T_SIZE, type StackT } from './altStack.js';
import type { SignalAction } from './signalActions.js';
import { decodeStackT } from './signalFrame.js';
import { SIGSET_BYTES, UNCATCHABLE, contains, isSignal } from '../../base/signalNumbers.js';

const SIG_BLOCK = 0;
const SIG_UNBLOCK = 1;
const SIG_SETMASK = 2;

/** struct sigaction as the kernel has it: handler, flags, restorer, mask. */
function readAction(space: AddressSpace, address: number): SignalAction {
  const view = new DataView(space.read(address, 32).buffer);
  return {
    handler: view.getBigUint64(0, true),
    flags: view.getUint32(8, true),
    restorer: view.getBigUint64(16, true),
    mask: view.getBigUint64(24, true),
  };
}

function writeAction(space: AddressSpace, address: number, action: SignalAction): void {
  const bytes = new Uint8Array(32);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, action.handler, true);
  view.setUint32(8, action.flags, true);
  view.setBigUint64(16, action.restorer, true);
  view.setBigUint64(24, action.mask, true);
  space.write(address, bytes);
}

function writeStackT(space: AddressSpace, address: number, stack: StackT): void {
  const bytes = new Uint8Array(STACK_T_SIZE);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, BigInt(stack.base), true);
  view.setUint32(8, stack.flags, true);
  view.setBigUint64(16, BigInt(stack.size), true);
  space.write(address, bytes);
}

function sigaction(p: Process, args: SyscallArgs): number {
  if (args.addr(3) !== SIGSET_BYTES) return -E.INVAL;
  const { space, signals } = p;
  const signal = args.int(0);
  const next = args.addr(1) === 0 ? undefined : readAction(space, args.addr(1));
  if (!isSignal(signal) || (next !== undefined && contains(UNCATCHABLE, signal))) return -E.INVAL;
  const old = signals.process.actions.get(signal);
  if (next !== undefined) {
    signals.setAction(signal, next);
    p.world.outside.update(signal);
  }
  if (args.addr(2) !== 0) writeAction(space, args.addr(2), old);
  return 0;
}

function sigprocmask(p: Process, args: SyscallArgs): number {
  if (args.addr(3) !== SIGSET_BYTES) return -E.INVAL;
  const { thread } = p.signals;
  const old = thread.blocked;
  if (args.addr(1) !== 0) {
    const given = p.space.readU64(args.addr(1));
    const how = args.int(0);
    if (how === SIG_BLOCK) thread.blocked |= given;
    else if (how === SIG_UNBLOCK) thread.blocked &= ~given;
    else if (how === SIG_SETMASK) thread.blocked = given;
    else return -E.INVAL;
  }
  if (args.addr(2) !== 0) p.space.writeU64(args.addr(2), old);
  return 0;
}

function sigpending(p: Process, args: SyscallArgs): number {
  const size = args.addr(1);
  if (size > SIGSET_BYTES) return -E.INVAL;
  const set = new Uint8Array(SIGSET_BYTES);
  new DataView(set.buffer).setBigUint64(0, p.signals.pendingSet & p.signals.thread.blocked, true);
  p.space.write(args.addr(0), set.subarray(0, size));
  return 0;
}

function sigaltstack(p: Process, args: SyscallArgs): number {
  const { altStack } = p.signals.thread;
  const sp = p.signals.cpu.num(RSP);
  const next = args.addr(0) === 0 ? undefined : decodeStackT(p.space.read(args.addr(0), STACK_T_SIZE));
  const old = altStack.report(sp);
  const result = next === undefined ? 0 : altStack.change(next, sp);
  if (result === 0 && args.addr(1) !== 0) writeStackT(p.space, args.addr(1), old);
  return result;
}

export const actionCalls: SyscallFamily = {
  rt_sigaction: sigaction,
  rt_sigprocmask: sigprocmask,
  rt_sigpending: sigpending,
  sigaltstack,
  rt_sigreturn(p) {
    p.signals.returnFromHandler();
    return 'noreturn';
  },
};
