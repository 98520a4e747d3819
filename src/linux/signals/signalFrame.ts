/**
 * The frame that a handler finds on the stack and rt_sigreturn goes back by: struct rt_sigframe of
 * Linux x86-64, on a CPU without XSAVE (the floating-point part is a plain FXSAVE image).
 *
 *   frame + 0    pretcode: where the handler returns to (sa_restorer)
 *   frame + 8    struct ucontext: flags, link, stack, registers, signal mask
 *   frame + 312  siginfo
 *   above        FXSAVE image, 64-byte aligned; then the red zone of the interrupted function
 */
import { FLAG, FPU_STATUS, GPR, OTHER_FLAGS, DF, RAX, RDI, RDX, RIP, RSI, RSP, type Slot } from '../../layout/cpuState.js';
import { FX_VECTORS, fxFloats } from '../../layout/fxImage.js';
import { USER_SPACE_END } from '../../base/types.js';
import { type AddressSpace, BadAddress } from '../../machine/addressSpace.js';
import type { Cpu } from '../../machine/cpu.js';
import type { KeptRegister } from '../../machine/shadow/unwrittenBytes.js';
import { STACK_T_SIZE, type StackT } from './altStack.js';
import { readEflags, writeEflags } from './eflags.js';
import { FX_SIZE, resetFx, restoreFx, saveFx } from './fxState.js';
import { SA, type SignalAction } from './signalActions.js';
import { SIGINFO_SIZE, type SigInfo } from './siginfo.js';
import { SIGSET_BYTES } from '../../base/signalNumbers.js';
import type { ThreadSignals } from './threadSignals.js';

/** Offsets from the start of the frame. */
export const FRAME = {
  restorer: 0, ucontext: 8, flags: 8, link: 16, stack: 24, registers: 48,
  segments: 192, error: 200, trapNumber: 208, oldMask: 216, cr2: 224, fpState: 232, reserved: 240,
  mask: 304, siginfo: 312, size: 440,
} as const;

/** The order of struct sigcontext: r8..r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip; eflags follows. */
const REGISTERS: readonly Slot[] = [
  ...[8, 9, 10, 11, 12, 13, 14, 15, 7, 6, 5, 3, 2, 0, 1, 4].map((n) => GPR[n] as Slot), RIP,
];
const EFLAGS_AT = FRAME.registers + REGISTERS.length * 8;

const UC_SIGCONTEXT_SS = 2n;
const UC_STRICT_RESTORE_SS = 4n;
const USER_CS = 0x33n;
const USER_SS = 0x2bn;
const RED_ZONE = 128;
/** EFLAGS bits that rt_sigreturn takes from the frame. */
const RESTORED_FLAGS =
  FLAG.AC | FLAG.OF | FLAG.DF | FLAG.TF | FLAG.SF | FLAG.ZF | FLAG.AF | FLAG.PF | FLAG.CF | FLAG.RF;

/** Makes the CPU enter a handler. False, with registers unchanged, if the frame does not fit on the stack. */
export function pushFrame(cpu: Cpu, space: AddressSpace, thread: ThreadSignals, action: SignalAction, info: SigInfo): boolean {
  if ((action.flags & SA.RESTORER) === 0) return false;
  const place = placeFrame(cpu, thread, action);
  if (place === undefined) return false;
  try {
    space.write(place.fpState, saveFx(cpu));
    writeContext(cpu, space, thread, place);
    space.writeU64(place.frame + FRAME.restorer, action.restorer);
    if ((action.flags & SA.SIGINFO) !== 0) space.write(place.frame + FRAME.siginfo, info.bytes.subarray(0, SIGINFO_SIZE));
  } catch (error) {
    if (error instanceof BadAddress) return false;
    throw error;
  }
  space.unwritten?.registers?.saved(keptRegisters(place.frame, place.fpState, cpu.lo(FPU_STATUS)));
  enterHandler(cpu, place.frame, action, info.signal);
  return true;
}

interface FramePlace {
  readonly frame: number;
  readonly fpState: number;
}

function placeFrame(cpu: Cpu, thread: ThreadSignals, action: SignalAction): FramePlace | undefined {
  const { altStack } = thread;
  const interrupted = cpu.num(RSP);
  let onAltStack = altStack.isActive(interrupted);
  let sp = interrupted - RED_ZONE;
  if ((action.flags & SA.ONSTACK) !== 0 && altStack.state(sp) === 0) {
    sp = altStack.current.base + altStack.current.size;
    onAltStack = true;
  }
  const fpState = alignDown(sp - FX_SIZE, 64);
  const frame = alignDown(fpState - FRAME.size, 16) - 8;
  if (frame < 0 || sp > USER_SPACE_END) return undefined;
  return onAltStack && !altStack.covers(frame) ? undefined : { frame, fpState };
}

function alignDown(n: number, alignment: number): number {
  return Math.floor(n / alignment) * alignment;
}

/** All of struct ucontext but the reserved words, which the kernel leaves as they are. */
function writeContext(cpu: Cpu, space: AddressSpace, thread: ThreadSignals, { frame, fpState }: FramePlace): void {
  const bytes = new Uint8Array(FRAME.reserved);
  const view = new DataView(bytes.buffer);
  const put = (at: number, value: bigint): void => view.setBigUint64(at, BigInt.asUintN(64, value), true);
  put(FRAME.flags, UC_SIGCONTEXT_SS | UC_STRICT_RESTORE_SS);
  put(FRAME.stack, BigInt(thread.altStack.current.base));
  put(FRAME.stack + 8, BigInt(thread.altStack.current.flags));
  put(FRAME.stack + 16, BigInt(thread.altStack.current.size));
  REGISTERS.forEach((slot, i) => put(FRAME.registers + i * 8, cpu.big(slot)));
  put(EFLAGS_AT, BigInt(readEflags(cpu) | (thread.resumeFlag ? FLAG.RF : 0)));
  put(FRAME.segments, USER_CS | (USER_SS << 48n));
  put(FRAME.error, BigInt(thread.trap.error));
  put(FRAME.trapNumber, BigInt(thread.trap.number));
  put(FRAME.oldMask, thread.maskToSave);
  put(FRAME.cr2, thread.trap.cr2);
  put(FRAME.fpState, BigInt(fpState));
  space.write(frame + FRAME.ucontext, bytes.subarray(FRAME.ucontext));
  space.writeU64(frame + FRAME.mask, thread.maskToSave);
}

function enterHandler(cpu: Cpu, frame: number, action: SignalAction, signal: number): void {
  cpu.setNum(RDI, signal);
  cpu.setNum(RSI, frame + FRAME.siginfo);
  cpu.setNum(RDX, frame + FRAME.ucontext);
  cpu.setNum(RAX, 0);
  cpu.setNum(RSP, frame);
  cpu.setBig(RIP, action.handler);
  cpu.setI32(DF, 0);
  cpu.setI32(OTHER_FLAGS, cpu.lo(OTHER_FLAGS) & ~FLAG.TF);
  resetFx(cpu);
}

/**
 * rt_sigreturn: takes registers, mask and alternate stack from the frame below rsp. False if the
 * frame is bad; as on Linux, what was read before that was noticed stays in effect.
 */
export function popFrame(cpu: Cpu, space: AddressSpace, thread: ThreadSignals): boolean {
  const sp = cpu.num(RSP);
  const frame = sp - 8;
  if (frame < 0) return false;
  const bytes = readIfMapped(space, frame, FRAME.mask + SIGSET_BYTES);
  if (bytes === undefined) return false;
  const view = new DataView(bytes.buffer);
  thread.blocked = view.getBigUint64(FRAME.mask, true);
  thread.altStack.change(decodeStackT(bytes.subarray(FRAME.stack)), sp);
  REGISTERS.forEach((slot, i) => cpu.setBig(slot, view.getBigUint64(FRAME.registers + i * 8, true)));
  const flags = view.getUint32(EFLAGS_AT, true);
  writeEflags(cpu, (readEflags(cpu) & ~RESTORED_FLAGS) | (flags & RESTORED_FLAGS));
  const isRestored = segmentsAreOurs(view) && restoreFpState(cpu, space, view);
  const fpState = Number(view.getBigUint64(FRAME.fpState, true));
  space.unwritten?.registers?.restored(keptRegisters(frame, isRestored && fpState !== 0 ? fpState : undefined, cpu.lo(FPU_STATUS)));
  return isRestored;
}

/** Where registers are in a frame, for those who want to know what is undefined of them. */
function keptRegisters(frame: number, fpState: number | undefined, status: number): KeptRegister[] {
  const general = REGISTERS.slice(0, -1).map(({ offset }, i) => ({ offset, address: frame + FRAME.registers + i * 8, bytes: 8 }));
  const others = fpState === undefined ? [] : [...fxFloats(status), ...FX_VECTORS].map(({ slot: { offset }, at, bytes }) => ({ offset, address: fpState + at, bytes }));
  return [...general, ...others];
}

/** Only 64-bit user code can be gone back to. Privilege bits are the kernel's to set. */
function segmentsAreOurs(view: DataView): boolean {
  return (view.getUint16(FRAME.segments, true) | 3) === Number(USER_CS);
}

function restoreFpState(cpu: Cpu, space: AddressSpace, view: DataView): boolean {
  const pointer = view.getBigUint64(FRAME.fpState, true);
  if (pointer === 0n) {
    resetFx(cpu);
    return true;
  }
  const image = pointer % 16n === 0n ? readIfMapped(space, Number(pointer), FX_SIZE) : undefined;
  if (image !== undefined && restoreFx(cpu, image)) return true;
  resetFx(cpu);
  return false;
}

function readIfMapped(space: AddressSpace, address: number, length: number): Uint8Array | undefined {
  try {
    return space.read(address, length);
  } catch (error) {
    if (error instanceof BadAddress) return undefined;
    throw error;
  }
}

export function decodeStackT(bytes: Uint8Array): StackT {
  const view = new DataView(bytes.buffer, bytes.byteOffset, STACK_T_SIZE);
  return {
    base: Number(view.getBigUint64(0, true)),
    flags: view.getUint32(8, true),
    size: Number(view.getBigUint64(16, true)),
  };
}
