/**
 * The end of a program by a signal that it raised itself and has no handler for: what the signal means here, and what
 * it is about. It is no rule that says so: crashes are called `crash.segv` and the like in reports and suppressions.
 */
import { Mnemonic } from 'iced-x86';
import { hex } from '../../base/types.js';
import { FPE, SI, type SigInfo } from '../../linux/signals/siginfo.js';
import { signalMessage, signalName } from '../../base/signalNames.js';
import { SIG } from '../../base/signalNumbers.js';
import type { Task } from '../../linux/tasks/task.js';
import { type Stop, VECTOR } from '../../machine/stop.js';
import type { Access as MemoryAccess } from '../../rules/evaluate/machine.js';
import { addressText, exhaustedStack, NO_ADDRESS } from './addressText.js';
import { type DecodedInstruction, instructionAt } from './instructionAt.js';

/** Which value is to blame: the pointer of an access, what was jumped to, or what was divided by. */
type Blamed = 'pointer' | 'target' | 'divisor';

export interface Crash {
  readonly signal: number;
  /** SIGSEGV. */
  readonly name: string;
  /** What could not be accessed. */
  readonly address?: bigint;
  /** What the address is. */
  readonly place?: string;
  readonly blamed?: Blamed;
}

interface DescribedCrash {
  readonly crash: Crash;
  readonly message: string;
  readonly access?: MemoryAccess;
}

const CRASH_RULES = 'crash.';
const CRASHES: ReadonlySet<number> = new Set([SIG.ILL, SIG.TRAP, SIG.ABRT, SIG.BUS, SIG.FPE, SIG.SEGV, SIG.SYS]);
/** Smaller accesses may be anywhere. */
const LEAST_ALIGNED = 16;
const FLOAT_CAUSES: Readonly<Record<number, string>> = {
  [FPE.FLTDIV]: 'division by zero, of floating-point numbers', [FPE.FLTOVF]: 'a floating-point number became too large', [FPE.FLTUND]: 'a floating-point number became too small',
  [FPE.FLTRES]: 'a floating-point number was rounded', [FPE.FLTINV]: 'a calculation with floating-point numbers that has no result',
};

/** `crash.segv`. */
export function crashRule({ name }: Crash): string {
  return `${CRASH_RULES}${name.replace(/^SIG/, '').toLowerCase()}`;
}

/** Undefined if it is no crash: others have sent the signal. `stop`: what raised it; undefined if it was sent. */
export function describeCrash(task: Task, info: SigInfo, stop: Stop | undefined): DescribedCrash | undefined {
  const { signal } = info;
  if (!CRASHES.has(signal) || (stop === undefined && !isOwn(task, info))) return undefined;
  const crash = { signal, name: signalName(signal) };
  const said = (what: string, more: Omit<DescribedCrash, 'crash' | 'message'> & { readonly crash?: Partial<Crash> } = {}): DescribedCrash => ({ ...more, crash: { ...crash, ...more.crash }, message: `${crash.name} (${signalMessage(signal)}): ${what}` });
  if (stop === undefined) return said(signal === SIG.ABRT ? 'the program aborts' : 'the program has sent it to itself');
  if (stop.kind === 'pageFault') return said(...pageFault(task, stop));
  if (stop.kind === 'trap' && stop.vector === VECTOR.DE) return said(divisionText(task), { crash: { blamed: 'divisor' } });
  if (stop.kind === 'trap' && stop.vector === VECTOR.GP) return said(...protection(task));
  return said(trapText(info, task));
}

function pageFault(task: Task, { address, access }: Stop & { kind: 'pageFault' }): [string, Omit<DescribedCrash, 'crash' | 'message'> & { readonly crash: Partial<Crash> }] {
  const place = addressText(task, address, access);
  if (access === 'execute') return [`the program jumps to ${hex(address)}, which is ${place}`, { crash: { address, place, blamed: 'target' } }];
  const stack = exhaustedStack(task, address);
  const done: MemoryAccess = { kind: access, pointer: address, size: 1 };
  if (stack !== undefined) return [`the stack is full: ${grouped(stack.bytes)} bytes are in use, and ${hex(address)} is ${place}`, { crash: { address, place }, access: done }];
  return [`${access === 'write' ? 'write to' : 'read from'} ${hex(address)}, which is ${place}`, { crash: { address, place, blamed: 'pointer' }, access: done }];
}

function isOwn({ process }: Task, { code, bytes }: SigInfo): boolean {
  return (code === SI.USER || code === SI.TKILL || code === SI.QUEUE || code === SI.KERNEL) && (code === SI.KERNEL || new DataView(bytes.buffer).getInt32(16, true) === process.pid);
}

function divisionText(task: Task): string {
  return operandValue(task, instructionOf(task)?.operand) === 0n ? 'division by zero' : 'the quotient of a division has no room in its register: the smallest number divided by -1, for example';
}

/**
 * A general protection fault, which says nothing about its cause: aligned accesses that are not, addresses that are
 * none, instructions that only the kernel may use.
 */
function protection(task: Task): [string, { readonly crash?: Partial<Crash> }] {
  const instruction = instructionOf(task);
  const isReturn = instruction?.mnemonic === Mnemonic.Ret;
  if (isReturn || instruction?.mnemonic === Mnemonic.Call || instruction?.mnemonic === Mnemonic.Jmp) {
    const target = operandValue(task, instruction?.operand);
    return [`the program ${isReturn ? 'returns' : 'jumps'} to ${target === undefined ? 'what' : `${hex(target)}, which`} is ${NO_ADDRESS}`, { crash: { blamed: 'target' } }];
  }
  const { address = 0n, size = 0 } = instruction?.access ?? {};
  if (size >= LEAST_ALIGNED && address % BigInt(size) !== 0n) return [`access to ${size} bytes at ${hex(address)}, which have to be at a multiple of ${size}`, { crash: { address, place: 'misaligned', blamed: 'pointer' } }];
  return ['an instruction that programs may not use', {}];
}

function trapText({ signal, code }: SigInfo, task: Task): string {
  if (signal === SIG.FPE) return FLOAT_CAUSES[code] ?? 'a calculation with floating-point numbers';
  if (signal === SIG.TRAP) return 'a breakpoint instruction (int3)';
  const isUd2 = instructionOf(task)?.mnemonic === Mnemonic.Ud2;
  return isUd2 ? 'ud2, which compilers put where the program must not come to' : 'an instruction that there is not, or that culprit does not know';
}

function operandValue({ process: { cpu, space } }: Task, operand: DecodedInstruction['operand']): bigint | undefined {
  const bytes = operand === undefined ? null : operand.kind === 'memory' ? space.peek(operand.address, operand.size) : cpu.bytes().slice(operand.offset, operand.offset + operand.size);
  return bytes?.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}

function instructionOf({ process: { cpu, space } }: Task): DecodedInstruction | undefined {
  return instructionAt(BigInt(cpu.rip), (address, length) => space.peek(address, length), (slot) => cpu.big(slot));
}

function grouped(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}
