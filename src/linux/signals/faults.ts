/**
 * What Linux makes of a processor exception: the signal with its siginfo, and the trap number, error
 * code and cr2 that the frame shows. Each case was compared with a native run (faults.test.ts).
 */
import { unreachable } from '../../base/assert.js';
import { USER_SPACE_END, pageFloor } from '../../base/types.js';
import { FPU_CONTROL, FPU_STATUS, MXCSR, RIP } from '../../layout/cpuState.js';
import { type AddressSpace, PROT } from '../../machine/addressSpace.js';
import type { Cpu } from '../../machine/cpu.js';
import { type Stop, VECTOR, type Vector } from '../../machine/stop.js';
import { BUS, FPE, ILL_ILLOPN, SEGV, TRAP_TRACE, faultInfo, kernelInfo, type SigInfo } from './siginfo.js';
import { SIG } from '../../base/signalNumbers.js';
import { usesStackSegment } from './stackSegment.js';

interface Fault {
  readonly info: SigInfo;
  readonly trapNumber: number;
  readonly errorCode: number;
  /** The address of a page fault; other exceptions leave cr2 alone. */
  readonly cr2?: bigint;
  /** The frame shows the instruction that failed, not the next one, and RF is set in its flags. */
  readonly resumes: boolean;
}

type PageFault = Extract<Stop, { kind: 'pageFault' }>;

const TRAP_SS = 12;
const TRAP_PF = 14;
/** Error code of a page fault. */
const PF = { PRESENT: 1, WRITE: 2, USER: 4, FETCH: 16 } as const;
const CANONICAL_BITS = 48;
const INT_IMMEDIATE = 0xcd;

/** Undefined if there is nothing to signal: a floating-point exception that is not pending after all. */
export function faultOf(stop: Stop, cpu: Cpu, space: AddressSpace): Fault | undefined {
  switch (stop.kind) {
    case 'pageFault':
      return isCanonical(stop.address) ? pageFault(stop, space) : nonCanonical(stop, cpu, space);
    case 'trap':
      return trap(stop.vector, cpu, space);
    case 'unknownInstruction':
      return trap(VECTOR.UD, cpu, space);
    default:
      return unreachable(`${stop.kind} is no fault`);
  }
}

function isCanonical(address: bigint): boolean {
  return BigInt.asUintN(64, BigInt.asIntN(CANONICAL_BITS, address)) === BigInt.asUintN(64, address);
}

function pageFault(stop: PageFault, space: AddressSpace): Fault {
  const { signal, code, present } = inUserSpace(stop.address) ? userPageFault(stop, space) : KERNEL_ADDRESS;
  const access = stop.access === 'write' ? PF.WRITE : stop.access === 'execute' ? PF.FETCH : 0;
  return {
    info: faultInfo(signal, code, stop.address),
    trapNumber: TRAP_PF,
    errorCode: PF.USER | access | (present ? PF.PRESENT : 0),
    cr2: stop.address,
    resumes: true,
  };
}

/** Linux does not tell what is mapped there: always "not mapped", always "page present". */
const KERNEL_ADDRESS = { signal: SIG.SEGV, code: SEGV.MAPERR, present: true };

function inUserSpace(address: bigint): boolean {
  return address >= 0n && address < BigInt(USER_SPACE_END);
}

function userPageFault(stop: PageFault, space: AddressSpace): { signal: number; code: number; present: boolean } {
  const address = Number(stop.address);
  const now = space.resolve(address, 1, stop.access);
  if (!now.ok && now.bus) return { signal: SIG.BUS, code: BUS.ADRERR, present: false };
  if (!stop.mapped) return { signal: SIG.SEGV, code: SEGV.MAPERR, present: false };
  return { signal: SIG.SEGV, code: SEGV.ACCERR, present: isPresent(address, space) };
}

/**
 * In the hardware's tables, that is: not without any permission, nor before it is first touched (as far as we see
 * that).
 */
function isPresent(address: number, space: AddressSpace): boolean {
  const mapping = space.find(address);
  if (mapping === undefined || mapping.prot === PROT.NONE) return false;
  return mapping.file !== undefined || space.isResident(pageFloor(address));
}

function nonCanonical(stop: PageFault, cpu: Cpu, space: AddressSpace): Fault {
  const onStack = stop.access !== 'execute' && usesStackSegment(cpu, space, stop.address);
  return onStack ? exception(TRAP_SS, kernelInfo(SIG.BUS)) : exception(VECTOR.GP, kernelInfo(SIG.SEGV));
}

function exception(trapNumber: number, info: SigInfo, errorCode = 0, resumes = true): Fault {
  return { info, trapNumber, errorCode, resumes };
}

function trap(vector: Vector, cpu: Cpu, space: AddressSpace): Fault | undefined {
  const rip = cpu.big(RIP);
  switch (vector) {
    case VECTOR.DE:
      return exception(vector, faultInfo(SIG.FPE, FPE.INTDIV, rip));
    case VECTOR.DB:
      return exception(vector, faultInfo(SIG.TRAP, TRAP_TRACE, rip), 0, false);
    case VECTOR.BP:
      return exception(vector, kernelInfo(SIG.TRAP), 0, false);
    case VECTOR.OF:
      return exception(vector, kernelInfo(SIG.SEGV), 0, false);
    case VECTOR.UD:
      return exception(vector, faultInfo(SIG.ILL, ILL_ILLOPN, rip));
    case VECTOR.GP:
      return exception(vector, kernelInfo(SIG.SEGV), protectionErrorCode(cpu, space));
    case VECTOR.AC:
      return exception(vector, faultInfo(SIG.BUS, BUS.ADRALN, 0n));
    case VECTOR.MF:
      return floatException(vector, cpu.lo(FPU_STATUS) & ~cpu.lo(FPU_CONTROL), rip);
    case VECTOR.XM:
      return floatException(vector, cpu.lo(MXCSR) & ~(cpu.lo(MXCSR) >>> 7), rip);
  }
}

/** `int n` names the gate it may not use; everything else has error code 0. */
function protectionErrorCode(cpu: Cpu, space: AddressSpace): number {
  const fetched = space.fetch(cpu.rip, 2);
  if (!fetched.ok) return 0;
  const [opcode, vector] = fetched.bytes;
  return opcode === INT_IMMEDIATE && vector !== undefined ? vector * 8 + 2 : 0;
}

/** `pending`: exception flags that are set and not masked, in the order of x87 and MXCSR. */
function floatException(vector: Vector, pending: number, rip: bigint): Fault | undefined {
  const code = floatCode(pending);
  return code === undefined ? undefined : exception(vector, faultInfo(SIG.FPE, code, rip));
}

function floatCode(pending: number): number | undefined {
  if ((pending & 0x01) !== 0) return FPE.FLTINV;
  if ((pending & 0x04) !== 0) return FPE.FLTDIV;
  if ((pending & 0x08) !== 0) return FPE.FLTOVF;
  // Denormal operand and underflow.
  if ((pending & 0x12) !== 0) return FPE.FLTUND;
  return (pending & 0x20) !== 0 ? FPE.FLTRES : undefined;
}
