/**
 * One instance of an alteration: where in an execution it takes effect, and what is done to the thread there. For a
 * condition that is the jump that decides it, which may come some time after control has arrived at the statement.
 */
import { UserError } from '../base/errors.js';
import { type GuestAddr, guestAddr } from '../base/types.js';
import { Backtrace } from '../debugger/program/backtrace.js';
import type { PlainAlteration } from '../replay/branch/recordedBranch.js';
import type { Position } from '../replay/log/position.js';
import type { Hit } from '../replay/timeline/conditions.js';
import type { Execution } from '../replay/timeline/execution.js';
import type { State } from '../replay/timeline/state.js';
import type { Work } from '../replay/timeline/work.js';
import type { CodeStep } from '../x86/codeSteps.js';
import { alterationText } from './alteration.js';
import { CodePatches, conditionByte, type Patch } from './codePatches.js';
import { type Condition, edgesOf } from './conditions.js';
import type { AtInstance, Plan } from './plan.js';
import { SpareRoom } from './spareRoom.js';

export interface Strike {
  readonly position: Position;
  readonly thread: number;
  readonly deeds: readonly PlainAlteration[];
  /** When the thread has executed one instruction more. */
  readonly after?: readonly PlainAlteration[];
  /** When control is at one of these addresses again. */
  readonly until?: { readonly addresses: readonly GuestAddr[]; readonly deeds: readonly PlainAlteration[] };
}

const FLAG = { CARRY: 1n, PARITY: 4n, ZERO: 64n, SIGN: 128n, OVERFLOW: 2048n } as const;

/** The execution is moved. `arrival`: where control has come to the statement. Throws a UserError. */
export async function strikeOf(plan: Plan, execution: Execution, arrival: Hit, work?: Work): Promise<Strike> {
  await execution.seek(arrival.position, work);
  const { atInstance } = plan;
  const { task: thread, position } = arrival;
  const { state } = execution;
  switch (atInstance.kind) {
    case 'skip': {
      const stretch = atInstance.stretches.find(({ start, end }) => arrival.rip >= start && arrival.rip < end);
      return { position, thread, deeds: stretch === undefined ? [] : [jumpTo(thread, stretch.end)] };
    }
    case 'return':
      return { position, thread, deeds: [...resultIn(atInstance, thread), ...returning(state, thread)] };
    case 'patches':
      return { position, thread, deeds: patching(plan.patches, thread), until: { addresses: plan.entries, deeds: patching(plan.patches, thread, 'original') } };
    case 'call': {
      const { call } = atInstance;
      const hit = await nextIn(execution, [call], frameOf(state, plan, thread), plan, work);
      return { position: hit.position, thread, deeds: [...resultIn(atInstance, thread), jumpTo(thread, call.address + call.length)] };
    }
    case 'goTo': {
      const hit = await nextIn(execution, [atInstance.from], frameOf(state, plan, thread), plan, work);
      return { position: hit.position, thread, deeds: [jumpTo(thread, atInstance.to)] };
    }
    case 'invert':
      return inverted(plan, atInstance, execution, thread, work);
  }
}

/** Runs to the instruction that decides the condition. */
async function inverted(plan: Plan, { conditions, around }: AtInstance & { readonly kind: 'invert' }, execution: Execution, thread: number, work: Work | undefined): Promise<Strike> {
  const frame = frameOf(execution.state, plan, thread);
  const byAddress = new Map(around.steps.map((step) => [step.address, step]));
  const all = conditions.flatMap(({ steps }) => steps);
  for (let isFirst = true; ; isFirst = false) {
    const hit = await nextIn(execution, all, frame, plan, work, isFirst);
    const step = all.find(({ address }) => address === hit.rip) as CodeStep;
    const { kind, exits } = conditions.find(({ steps }) => steps.includes(step)) as Condition;
    const code = execution.state.read(thread, guestAddr(step.address), step.length) ?? new Uint8Array();
    if (kind === 'value') {
      const patches = new CodePatches(() => code, new SpareRoom(0, 0));
      patches.invert(step);
      return { position: hit.position, thread, deeds: patching(patches.patches, thread), after: patching(patches.patches, thread, 'original') };
    }
    const [taken, fall] = edgesOf(step, byAddress);
    const goes = holds(code, execution.state.register(thread, 'eflags') ?? 0n, plan) ? taken : fall;
    if (exits.includes(goes)) return { position: hit.position, thread, deeds: [jumpTo(thread, exits.find((exit) => exit !== goes) as number)] };
  }
}

/** What tells one activation of a function from another. */
interface Frame {
  readonly thread: number;
  readonly value: bigint | undefined;
}

export function frameOf(state: State, { code }: Plan, thread: number): Frame {
  return { thread, value: activation(state, code, thread) };
}

/** Optimised code may move its stack pointer within a statement: the frame is where unwinding finds it. */
function activation(state: State, code: Plan['code'], thread: number): bigint | undefined {
  if (code?.function.isOptimised === false) return state.register(thread, 'rbp');
  const program = code?.program.inState(state, thread);
  const frame = program === undefined ? undefined : new Backtrace(program).innermost;
  return frame?.stackId.stack ?? state.register(thread, 'rsp');
}

/**
 * Where the same activation of the function is about to execute one of these, from where the execution stands: there,
 * if it may be there.
 */
export async function nextIn(execution: Execution, steps: readonly CodeStep[], frame: Frame, plan: Plan, work?: Work, mayBeHere = true): Promise<Hit> {
  const { thread, value } = frame;
  const here = steps.find(({ address }) => BigInt(address) === execution.state.register(thread, 'rip'));
  if (mayBeHere && here !== undefined && execution.state.current?.id === thread) return { kind: 'address', position: execution.position, conditions: [0], task: thread, rip: guestAddr(here.address) };
  const accepts = (hit: Hit, state: State): boolean => hit.task === thread && activation(state, plan.code, thread) === value;
  const hit = await execution.forward([{ kind: 'address', addresses: steps.map(({ address }) => guestAddr(address)) }], work, { accepts });
  if (hit === undefined) throw new UserError(`${alterationText(plan.alteration)}: the statement is left before it comes to that`);
  return hit;
}

export function patching(patches: readonly Patch[], thread: number, which: 'bytes' | 'original' = 'bytes'): PlainAlteration[] {
  return patches.map((patch) => ({ kind: 'memory', thread, address: patch.address, bytes: patch[which] }));
}

function jumpTo(thread: number, address: number): PlainAlteration {
  return { kind: 'register', thread, name: 'rip', value: BigInt(address) };
}

function resultIn({ bits, isFloat }: { readonly bits: bigint | undefined; readonly isFloat: boolean }, thread: number): PlainAlteration[] {
  if (bits === undefined) return [];
  return [{ kind: 'register', thread, name: 'rax', value: bits }, ...(isFloat ? [{ kind: 'register', thread, name: 'xmm0', value: bits } as const] : [])];
}

function returning(state: State, thread: number): PlainAlteration[] {
  const stack = state.register(thread, 'rsp') ?? 0n;
  const bytes = state.read(thread, guestAddr(Number(stack)), 8);
  if (bytes === null) throw new UserError('the function cannot return: its stack is not there');
  const target = new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true);
  return [{ kind: 'register', thread, name: 'rsp', value: stack + 8n }, { kind: 'register', thread, name: 'rip', value: target }];
}

/** Whether a conditional jump is taken. */
function holds(code: Uint8Array, flags: bigint, { alteration }: Plan): boolean {
  const at = conditionByte(code);
  if (at === undefined) throw new UserError(`${alterationText(alteration)}: a jump that counts has no opposite`);
  const condition = (code[at] as number) & 0xf;
  const is = (flag: bigint): boolean => (flags & flag) !== 0n;
  const plain = [
    is(FLAG.OVERFLOW), is(FLAG.CARRY), is(FLAG.ZERO), is(FLAG.CARRY) || is(FLAG.ZERO), is(FLAG.SIGN), is(FLAG.PARITY),
    is(FLAG.SIGN) !== is(FLAG.OVERFLOW), is(FLAG.ZERO) || is(FLAG.SIGN) !== is(FLAG.OVERFLOW),
  ][condition >> 1] as boolean;
  return (condition & 1) === 0 ? plain : !plain;
}
