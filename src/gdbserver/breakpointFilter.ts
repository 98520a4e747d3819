/** Breakpoints with conditions, while a search goes by them. */
import type { HitFilter } from '../replay/timeline/conditions.js';
import type { State } from '../replay/timeline/state.js';
import { type AgentMachine, evaluateAgent } from './agentExpression.js';
import type { Stops } from './stops.js';
import { registerValue, TARGET_REGISTERS } from './targetRegisters.js';

/** Passes those whose conditions do not hold. Undefined if there are none: then more searchers can help. */
export function filterFor(stops: Stops): HitFilter | undefined {
  if (!stops.hasConditions) return undefined;
  return { accepts: (hit, state) => hit.access !== undefined || hit.signal !== undefined || holds(stops.conditionsAt(hit.rip), hit.task, state) };
}

/** What cannot be computed is the client's business. */
function holds(conditions: readonly Uint8Array[], thread: number, state: State): boolean {
  const machine: AgentMachine = {
    register: (number) => registerValue(state, thread, TARGET_REGISTERS[number]?.name ?? ''),
    read: (address, length) => state.read(thread, Number(address), length),
  };
  return conditions.length === 0 || conditions.some((code) => evaluateAgent(code, machine) !== 0n);
}
