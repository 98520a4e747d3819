/**
 * For people: who waits for what, and where. Where is the instruction after the system call, which lies
 * somewhere in a library; so the nearest caller in the program itself is named too. It is found by
 * looking through the stack for an address behind a call: usually right, but a guess.
 */
import { RIP, RSP, type Slot } from '../../layout/cpuState.js';
import { PROT } from '../../machine/mapping.js';
import { bytePath } from '../../base/bytePath.js';
import type { Process } from '../process.js';
import { SYSCALL_NAMES } from '../../base/syscallNames.js';
import type { World } from '../world.js';
import { CodeNames } from './codeNames.js';
import type { Task } from './task.js';

/** A user reads no more. */
const MOST_LINES = 50;
/** How far up the stack to look for a caller. */
const STACK_WORDS = 2048;
/** Lengths of call instructions: e8 rel32, and ff /2 with the usual operands. */
const DIRECT_CALL = 5;
const INDIRECT_CALLS = [2, 3, 6, 7];

/** One line for each task. */
export function waitReport(world: World): string[] {
  const names = new CodeNames(world.host);
  const several = world.processes.length > 1;
  const left = world.tasks.length - MOST_LINES;
  const lines = world.tasks.slice(0, MOST_LINES).map((task) => {
    const { process } = task;
    const who = `thread ${task.tid} (${task.name})${several ? ` of process ${process.pid}` : ''}`;
    return `${who} ${withNames(names, process, whatOf(task))}, in ${placeOf(names, task)}`;
  });
  return left > 0 ? [...lines, `and ${left} more`] : lines;
}

/** Variables by name. */
function withNames(names: CodeNames, process: Process, text: string): string {
  return text.replace(/0x[0-9a-f]+/g, (address) => {
    const name = names.find(process, Number(address));
    return name === undefined ? address : `${address} <${name}>`;
  });
}

function whatOf(task: Task): string {
  if (task.process.family.isStopped) return 'is stopped';
  const { wait, waitingCall } = task;
  if (wait === undefined) return 'runs';
  const call = SYSCALL_NAMES[waitingCall ?? -1];
  return `waits for ${wait.describe()}${call === undefined ? '' : ` [${call}]`}`;
}

function placeOf(names: CodeNames, task: Task): string {
  const at = register(task, RIP);
  const place = names.describe(task.process, at);
  const caller = callerInProgram(task, at);
  return caller === undefined ? place : `${place}, called from ${names.describe(task.process, caller)}`;
}

function callerInProgram(task: Task, at: number): number | undefined {
  const { process } = task;
  if (isProgramCode(process, at)) return undefined;
  const top = register(task, RSP);
  for (let i = 0; i < STACK_WORDS; i++) {
    const bytes = process.space.peek(top + i * 8, 8);
    if (bytes === null) return undefined;
    const view = new DataView(bytes.slice().buffer);
    const word = view.getUint32(4, true) * 0x1_0000_0000 + view.getUint32(0, true);
    if (isProgramCode(process, word) && followsCall(process, word)) return word;
  }
  return undefined;
}

function register(task: Task, slot: Slot): number {
  return task.process.machine.registerOf(task, slot);
}

function isProgramCode(process: Process, address: number): boolean {
  const mapping = process.space.find(address);
  return mapping !== undefined && (mapping.prot & PROT.EXEC) !== 0 && bytePath(mapping.name) === process.exe;
}

function followsCall(process: Process, address: number): boolean {
  const byteAt = (at: number): number => process.space.peek(at, 1)?.[0] ?? 0;
  if (byteAt(address - DIRECT_CALL) === 0xe8) return true;
  return INDIRECT_CALLS.some((length) => byteAt(address - length) === 0xff && ((byteAt(address - length + 1) >> 3) & 7) === 2);
}
