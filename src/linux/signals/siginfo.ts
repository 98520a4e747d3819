/** siginfo_t: who or what sent a signal. Kept in the form the guest gets to see. */

/** Bytes that carry something; siginfo_t is padded with zeros up to SIGINFO_SIZE. */
const SIGINFO_USED = 48;
export const SIGINFO_SIZE = 128;

export interface SigInfo {
  readonly signal: number;
  readonly code: number;
  /** The structure itself, all of its 128 bytes. */
  readonly bytes: Uint8Array;
}

/** si_code of signals that were sent. */
export const SI = { USER: 0, KERNEL: 0x80, QUEUE: -1, TIMER: -2, MESGQ: -3, TKILL: -6 } as const;
/** si_code of signals that an instruction raised. */
export const ILL_ILLOPN = 2;
export const FPE = { INTDIV: 1, FLTDIV: 3, FLTOVF: 4, FLTUND: 5, FLTRES: 6, FLTINV: 7 } as const;
export const SEGV = { MAPERR: 1, ACCERR: 2 } as const;
export const BUS = { ADRALN: 1, ADRERR: 2 } as const;
export const TRAP_TRACE = 2;
/** si_code of SIGCHLD. */
export const CLD = { EXITED: 1, KILLED: 2, DUMPED: 3, TRAPPED: 4, STOPPED: 5, CONTINUED: 6 } as const;

function build(signal: number, code: number, fill?: (view: DataView) => void): SigInfo {
  const bytes = new Uint8Array(SIGINFO_SIZE);
  const view = new DataView(bytes.buffer);
  view.setInt32(0, signal, true);
  view.setInt32(8, code, true);
  fill?.(view);
  return { signal, code, bytes };
}

/** Sent by the kernel with nothing more to say. */
export function kernelInfo(signal: number): SigInfo {
  return build(signal, SI.KERNEL);
}

/** Sent by kill, tkill or tgkill, or by a message queue with a `value`. */
export function senderInfo(signal: number, code: number, pid: number, uid: number, value = 0n): SigInfo {
  return build(signal, code, (view) => {
    view.setInt32(16, pid, true);
    view.setUint32(20, uid, true);
    view.setBigUint64(24, value, true);
  });
}

/** Raised by an instruction; `address` is si_addr. */
export function faultInfo(signal: number, code: number, address: bigint): SigInfo {
  return build(signal, code, (view) => view.setBigUint64(16, BigInt.asUintN(64, address), true));
}

/** Something happened to a file that sends signals. */
export function pollInfo(signal: number, code: number, events: number, fd: number): SigInfo {
  return build(signal, code, (view) => {
    view.setBigInt64(16, BigInt(events), true);
    view.setInt32(24, fd, true);
  });
}

/** An expired POSIX timer. */
export function timerInfo(signal: number, timer: number, overrun: number, value: bigint): SigInfo {
  return build(signal, SI.TIMER, (view) => {
    view.setInt32(16, timer, true);
    view.setInt32(20, overrun, true);
    view.setBigUint64(24, value, true);
  });
}

/** What has become of a child. */
export interface ChildReport {
  /** One of CLD. */
  readonly code: number;
  readonly pid: number;
  readonly uid: number;
  /** Exit code or signal. */
  readonly status: number;
  /** Processor time that it used. */
  readonly nanoseconds: number;
}

const NANOSECONDS_PER_TICK = 1e7;

/** A child has changed its state. */
export function childInfo(signal: number, report: ChildReport): SigInfo {
  return build(signal, report.code, (view) => {
    view.setInt32(16, report.pid, true);
    view.setUint32(20, report.uid, true);
    view.setInt32(24, report.status, true);
    view.setBigInt64(32, BigInt(Math.floor(report.nanoseconds / NANOSECONDS_PER_TICK)), true);
  });
}

/** What a program handed to rt_sigqueueinfo; only the signal number is ours. */
export function queuedInfo(signal: number, given: Uint8Array): SigInfo {
  const code = new DataView(given.buffer, given.byteOffset).getInt32(8, true);
  return build(signal, code, (view) => {
    new Uint8Array(view.buffer).set(given.subarray(4, SIGINFO_USED), 4);
  });
}

/** si_addr of a signal that an instruction raised. */
export function infoAddress(info: SigInfo): bigint {
  return new DataView(info.bytes.buffer).getBigUint64(16, true);
}
