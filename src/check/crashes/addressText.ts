/** What an address is that a program could not access, in words that follow it: "0x10, which is near NULL". */
import { PAGE_SIZE, USER_SPACE_END } from '../../base/types.js';
import { RSP } from '../../layout/cpuState.js';
import { CodeNames } from '../../linux/tasks/codeNames.js';
import type { Task } from '../../linux/tasks/task.js';
import { type AddressSpace, PROT } from '../../machine/addressSpace.js';
import type { Mapping } from '../../machine/mapping.js';
import type { Access } from '../../machine/stop.js';
import { isStackOf } from '../leaks/stackEnds.js';

/** What members of structures at NULL are below. */
const NULL_END = 0x1_0000;
/** The stack pointer is no farther from what a push or a call could not write, nor the end of the stack. */
const NEAR_STACK = 1 << 20;
const SIGN_BITS = 47n;
/** What is farther away has nothing to do with it. */
const FAR = 1 << 28;

export const NO_ADDRESS = 'no address: its upper bits are neither all zero nor all one';

/** A stack that has no room for more. */
interface ExhaustedStack {
  readonly bytes: number;
}

export function addressText(task: Task, address: bigint, access: Access): string {
  if (address < NULL_END) return address === 0n ? 'the null pointer' : 'near NULL, where nothing can be';
  if (address >= USER_SPACE_END) return address >> SIGN_BITS === 0x1ffffn ? "the kernel's" : NO_ADDRESS;
  const { space } = task.process;
  const at = Number(address);
  const m = space.find(at) ?? space.find(space.mappedAddress(at));
  const stack = stackAbove(task, at);
  if (stack !== undefined) return `${bytes(stack.start - at)} below the stack of ${isOnlyThread(task) ? 'the program' : `thread ${task.tid}`}`;
  return m === undefined ? unmappedText(space, at) : mappedText(task, m, at, access);
}

/** Whether the thread has used all of its stack. */
export function exhaustedStack(task: Task, address: bigint): ExhaustedStack | undefined {
  const at = Number(address);
  const stack = address < USER_SPACE_END ? stackAbove(task, at) : undefined;
  return stack !== undefined && Math.abs(task.process.cpu.num(RSP) - at) < NEAR_STACK ? { bytes: stack.end - stack.start } : undefined;
}

/** The stack of the thread, if an address that is not writable is right below it. */
function stackAbove(task: Task, address: number): Mapping | undefined {
  const { space } = task.process;
  const here = space.find(address);
  if (here !== undefined && here.prot !== PROT.NONE) return undefined;
  const above = [...space.mappings()].find(({ start, prot }) => start > address && prot !== PROT.NONE);
  return above !== undefined && above.start - address < NEAR_STACK && isStackOf(above, task, above.start) ? above : undefined;
}

function isOnlyThread({ process: { tasks } }: Task): boolean {
  return tasks.length === 1;
}

function mappedText(task: Task, m: Mapping, address: number, access: Access): string {
  const { file, name, prot } = m;
  const whole = file === undefined ? undefined : Math.ceil(file.size / PAGE_SIZE) * PAGE_SIZE;
  const what = nameOf(m);
  if (file !== undefined && whole !== undefined && m.fileOffset + (address - m.start) >= whole) return `beyond the end of ${name}, which has ${bytes(file.size)}`;
  const symbol = file === undefined ? undefined : new CodeNames(task.process.host).find(task.process, address);
  const where = `in ${symbol === undefined ? '' : `${symbol} of `}${what}`;
  if (prot === PROT.NONE) return `${where}, to which there is no access`;
  if (access === 'execute') return `${where}, which is no code`;
  return access === 'write' && (prot & PROT.WRITE) === 0 ? `${where}, which is ${(prot & PROT.EXEC) !== 0 ? 'code' : 'read-only'}` : where;
}

function unmappedText(space: AddressSpace, address: number): string {
  const all = [...space.mappings()];
  const below = all.findLast(({ end }) => end <= address);
  const above = all.find(({ start }) => start > address);
  const [down, up] = [below === undefined ? Infinity : address - below.end, above === undefined ? Infinity : above.start - address];
  if (Math.min(down, up) >= FAR) return 'not mapped, nor is anything near it';
  if (below !== undefined && down <= up) return `not mapped; the nearest memory, ${nameOf(below)}, ends ${down === 0 ? 'there' : `${bytes(down)} before`}`;
  return above === undefined ? 'not mapped' : `not mapped; the nearest memory, ${nameOf(above)}, begins ${bytes(up)} after`;
}

function nameOf({ name, start, end }: Mapping): string {
  return name === '' ? `a mapping of ${bytes(end - start)} without a name` : name === '[stack]' ? 'the stack' : name === '[heap]' ? 'the heap' : name;
}

function bytes(count: number): string {
  return `${String(count).replace(/\B(?=(\d{3})+$)/g, ',')} ${count === 1 ? 'byte' : 'bytes'}`;
}
