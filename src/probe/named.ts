/**
 * Decisions that a slice has, by the names under which they can be altered: the line, or else its statement; without
 * debug information the instruction.
 */
import { UserError } from '../base/errors.js';
import { guestAddr, hex } from '../base/types.js';
import type { Debugger } from '../debugger/control/debugger.js';
import type { Statement } from '../debugger/program/statements.js';
import type { MemberInstances } from '../slices/slices.js';
import type { Alteration } from '../whatIf/alteration.js';
import type { WhatIf } from '../whatIf/apply.js';
import { isByCases } from '../whatIf/caseCode.js';
import { plansFor } from '../whatIf/plan.js';
import { SpareRooms } from '../whatIf/spareRoom.js';
import { isIn, statementsAt } from '../whatIf/statementCode.js';
import { type CodeStep, codeSteps } from '../x86/codeSteps.js';

/** A condition that cannot be altered. */
export interface RefusedPlace {
  readonly what: Alteration['what'];
  readonly place: string;
  readonly why: string;
}

/** An instruction in the slice that decides something, and when its newest instances were. */
export interface Decision {
  readonly address: number;
  readonly times: number[];
  instances: number;
}

/** Something to alter, of which the instance is known by a time in it. */
export interface Asked {
  readonly what: Alteration['what'];
  readonly place: string;
  readonly statement: Statement | undefined;
  readonly functionName: string | undefined;
  readonly time: number;
  number: number;
  /** A `switch` statement: it has more than one other way to go. */
  readonly goesByCases?: boolean;
  /** Of an instruction without debug information. */
  thread?: number;
}

const LONGEST_INSTRUCTION = 15;

/** One slice's; what was found in others before stays. */
export function gather({ times, instructionOf, programs }: MemberInstances, whatIf: WhatIf, most: number, decisions: Map<number, Decision>): void {
  const own = new Map<number, Decision | undefined>();
  const decisionAt = (node: number): Decision | undefined => {
    const instruction = instructionOf(node);
    if (instruction === undefined || !programs.ownerOf(instruction).isOwnAt(instruction.address)) return undefined;
    const { address } = instruction;
    return mayDecide(address, whatIf) ? { address, times: [], instances: 0 } : undefined;
  };
  for (const { of, time, isOwn } of times) {
    if (!isOwn) continue;
    if (!own.has(of)) own.set(of, decisionAt(of));
    const decision = own.get(of);
    if (decision === undefined) continue;
    decision.instances++;
    if (decision.times.length < most) decision.times.push(time);
  }
  for (const found of own.values()) {
    if (found === undefined) continue;
    const before = decisions.get(found.address);
    const all = [...new Set([...(before?.times ?? []), ...found.times])].sort((a, b) => b - a);
    decisions.set(found.address, { address: found.address, times: all.slice(0, most), instances: Math.max(found.instances, before?.instances ?? 0) });
  }
}

/** Whether an instruction decides where control goes, or what a value is. */
export function mayDecide(address: number, whatIf: WhatIf): boolean {
  const step = stepAt(address, whatIf);
  return step !== undefined && (step.decides !== undefined || step.flow === 'indirectJump');
}

function stepAt(address: number, { program: { state, thread } }: WhatIf): CodeStep | undefined {
  for (let length = LONGEST_INSTRUCTION; length > 0; length--) {
    const code = state.read(thread.id, guestAddr(address), length);
    if (code !== null) return codeSteps(code, address)[0];
  }
  return undefined;
}

/** By what name each can be altered. */
export function placed(decisions: readonly Decision[], debug: Debugger, whatIf: WhatIf): { readonly asked: Asked[]; readonly refused: RefusedPlace[] } {
  const asked: Asked[] = [];
  const refused = new Map<string, RefusedPlace>();
  for (const { address, times } of decisions) {
    const found = namesOf(address, debug, whatIf).map((one) => ({ ...one, ...nameable(one.place, address, whatIf) }));
    const usable = found.find(({ why }) => why === undefined);
    if (usable === undefined) {
      const [{ place, statement, why } = { place: '', statement: undefined, why: '' }] = found;
      // A jump through a pointer that no table is behind is a call in place of a return: it decides nothing.
      if (why !== undefined && stepAt(address, whatIf)?.decides !== undefined) refused.set(place, { what: 'switch', place: shortened(place, statement?.path), why: shortened(why, statement?.path) });
      continue;
    }
    const functionName = whatIf.program.symbols.at(BigInt(address))?.symbol.name;
    const { place, statement, goesByCases } = usable;
    for (const time of times) asked.push({ what: 'switch', place, statement, functionName, time, number: 0, goesByCases });
  }
  return { asked, refused: [...refused.values()] };
}

/** Places are named by whole paths; people know the file. */
export function shortened(text: string, path: string | undefined): string {
  return path === undefined ? text : text.replaceAll(path, path.slice(path.lastIndexOf('/') + 1));
}

function namesOf(address: number, debug: Debugger, { program }: WhatIf): { readonly place: string; readonly statement: Statement | undefined }[] {
  const { statements } = debug.named;
  const module = program.moduleAt(BigInt(address));
  const own = module === undefined ? undefined : statements.at(module, address);
  if (module === undefined || own === undefined) return [{ place: `*${hex(address)}`, statement: undefined }];
  const { path, line, part } = own;
  const whole = { place: `${path}:${line}`, statement: statements.wholeLine(path, line) };
  return part === undefined ? [whole] : [whole, { place: `${path}:${line}.${part}`, statement: own }];
}

/** Whether the condition that an instruction belongs to can be altered by a name; otherwise why not. */
function nameable(place: string, address: number, whatIf: WhatIf): { readonly why: string | undefined; readonly goesByCases: boolean } {
  const alteration: Alteration = { what: 'switch', place, which: 1 };
  try {
    const own = statementsAt(place, whatIf).find(({ pieces }) => isIn(pieces, address));
    const goesByCases = own !== undefined && isByCases(own);
    const plans = plansFor(goesByCases ? { ...alteration, to: 'default' } : alteration, whatIf, new SpareRooms());
    const isMeant = goesByCases || plans.some(({ atInstance }) => atInstance.kind === 'invert' && atInstance.conditions.some(({ steps }) => steps.some((step) => step.address === address)));
    return { goesByCases, why: isMeant ? undefined : `${place}: the condition at ${hex(address)} is not what a switch of the line inverts` };
  } catch (error) {
    if (error instanceof UserError) return { goesByCases: false, why: error.message };
    throw error;
  }
}
