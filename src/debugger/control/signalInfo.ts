/**
 * `$_siginfo` where a signal is about to take effect. If a handler gets it, the information is what the kernel puts on
 * the stack, one event later. If it kills the process, the recording has no more than its number; then it is concluded
 * from the instruction.
 */
import { type GuestAddr, guestAddr } from '../../base/types.js';
import type { Execution } from '../../replay/timeline/execution.js';
import type { Permissions, State } from '../../replay/timeline/state.js';
import { memoryOperands } from '../../x86/memoryOperands.js';

const SIZE = 128;
const LONGEST_INSTRUCTION = 15;
const SIGNAL = { ILL: 4, TRAP: 5, BUS: 7, FPE: 8, SEGV: 11 } as const;
const CODE = { MAPERR: 1, ACCERR: 2, ILL_ILLOPN: 2, FPE_INTDIV: 1, TRAP_BRKPT: 1, BY_THREAD: -6 } as const;
/** Offsets in the structure. */
const AT = { SIGNO: 0, CODE: 8, PID: 16, ADDRESS: 16 } as const;

interface SignalStop {
  readonly thread: number;
  readonly pid: number;
  readonly signal: number;
  /** It ends the process: there is no handler. */
  readonly isFatal: boolean;
}

/** A `siginfo_t`. The execution is where it was when that is done, but its state is another object. */
export async function signalInfo(execution: Execution, stop: SignalStop): Promise<Uint8Array> {
  return (stop.isFatal ? undefined : await fromHandlerFrame(execution, stop)) ?? concluded(execution.state, stop);
}

async function fromHandlerFrame(execution: Execution, { thread, signal }: SignalStop): Promise<Uint8Array | undefined> {
  const home = execution.position;
  if (home.done === Infinity) return undefined;
  await execution.seek({ time: home.time, done: home.done + 1 });
  try {
    const { state } = execution;
    if (state.register(thread, 'rdi') !== BigInt(signal)) return undefined;
    const info = state.read(thread, guestAddr(Number(state.register(thread, 'rsi') ?? 0n)), SIZE);
    return info !== null && info[0] === signal ? info.slice() : undefined;
  } finally {
    await execution.seek(home);
  }
}

function concluded(state: State, { thread, signal, pid }: SignalStop): Uint8Array {
  const info = new DataView(new ArrayBuffer(SIZE));
  const rip = guestAddr(Number(state.register(thread, 'rip') ?? 0n));
  const fault = (code: number, address: GuestAddr): void => {
    info.setInt32(AT.CODE, code, true);
    info.setBigUint64(AT.ADDRESS, BigInt(Math.max(0, address)), true);
  };
  info.setInt32(AT.SIGNO, signal, true);
  switch (signal) {
    case SIGNAL.SEGV:
    case SIGNAL.BUS: {
      const address = faultAddress(state, thread, rip);
      fault(state.permissions(thread, address) === undefined ? CODE.MAPERR : CODE.ACCERR, address);
      break;
    }
    case SIGNAL.ILL:
      fault(CODE.ILL_ILLOPN, rip);
      break;
    case SIGNAL.FPE:
      fault(CODE.FPE_INTDIV, rip);
      break;
    case SIGNAL.TRAP:
      fault(CODE.TRAP_BRKPT, rip);
      break;
    default:
      info.setInt32(AT.CODE, CODE.BY_THREAD, true);
      info.setInt32(AT.PID, pid, true);
  }
  return new Uint8Array(info.buffer);
}

/**
 * Of the accesses that the instruction makes, the first that cannot be made; the instruction's own address if it cannot
 * be fetched.
 */
function faultAddress(state: State, thread: number, rip: GuestAddr): GuestAddr {
  const isAllowed = (address: GuestAddr, what: keyof Permissions): boolean => {
    return state.permissions(thread, address)?.[what] === true;
  };
  if (!isAllowed(rip, 'execute')) return rip;
  const code = state.read(thread, rip, LONGEST_INSTRUCTION) ?? state.read(thread, rip, 1);
  const operands = code === null ? [] : memoryOperands(code, rip, (name) => state.register(thread, name) ?? 0n);
  const failing = operands.find(({ address, isWrite }) => !isAllowed(address, isWrite ? 'write' : 'read'));
  return failing?.address ?? operands[0]?.address ?? guestAddr(0);
}
