/** Breakpoints with conditions, while a search goes by them. */
import type { Hit, HitFilter } from '../replay/timeline/conditions.js';
import type { State } from '../replay/timeline/state.js';
import { type AgentMachine, evaluateAgent } from './agentExpression.js';
import { isEvent } from './events.js';
import type { Stops } from './stops.js';
import type { ReturnLimit } from './stepOver.js';
import { registerValue, TARGET_REGISTERS } from './targetRegisters.js';

/**
 * Passes those whose conditions do not hold, and those that a step over a call passes. Undefined if there are none:
 * then more searchers can help.
 */
export function filterFor(stops: Stops, limit: ReturnLimit | undefined): HitFilter | undefined {
  if (!stops.hasConditions && limit === undefined) return undefined;
  return { accepts: (hit, state) => hit.access !== undefined || hit.signal !== undefined || isEvent(hit) || (isWithin(limit, hit, state) && holds(stops.conditionsAt(hit.rip), hit.task, state)) };
}

function isWithin(limit: ReturnLimit | undefined, { rip, task }: Hit, state: State): boolean {
  if (limit?.address !== rip) return true;
  return limit.thread === task && (state.register(task, 'rsp') ?? 0n) >= limit.stack;
}

/** What cannot be computed is the client's business. */
function holds(conditions: readonly Uint8Array[], thread: number, state: State): boolean {
  const machine: AgentMachine = {
    register: (number) => registerValue(state, thread, TARGET_REGISTERS[number]?.name ?? ''),
    read: (address, length) => state.read(thread, Number(address), length),
  };
  return conditions.length === 0 || conditions.some((code) => evaluateAgent(code, machine) !== 0n);
}
