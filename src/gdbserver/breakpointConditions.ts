/** Breakpoints that do not always count, while a search goes by them. */
import { guestAddr } from '../base/types.js';
import type { Hit } from '../replay/timeline/conditions.js';
import type { State } from '../replay/timeline/state.js';
import { type AgentMachine, evaluateAgent } from './agentExpression.js';
import type { ReturnLimit } from './stepOver.js';
import type { Stops } from './stops.js';
import { registerValue, TARGET_REGISTERS } from './targetRegisters.js';

/** Not if its conditions do not hold, nor if a step over a call passes it. */
export function holdsAt(hit: Hit, state: State, stops: Stops, limit: ReturnLimit | undefined): boolean {
  return isWithin(limit, hit, state) && holds(stops.conditionsAt(hit.rip), hit.task, state);
}

function isWithin(limit: ReturnLimit | undefined, { rip, task }: Hit, state: State): boolean {
  if (limit?.address !== rip) return true;
  return limit.thread === task && (state.register(task, 'rsp') ?? 0n) >= limit.stack;
}

/** What cannot be computed is the client's business. */
function holds(conditions: readonly Uint8Array[], thread: number, state: State): boolean {
  const machine: AgentMachine = {
    register: (number) => registerValue(state, thread, TARGET_REGISTERS[number]?.name ?? ''),
    read: (address, length) => state.read(thread, guestAddr(Number(address)), length),
  };
  return conditions.length === 0 || conditions.some((code) => evaluateAgent(code, machine) !== 0n);
}
