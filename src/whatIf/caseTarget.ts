/**
 * Where a `switch` statement goes for a value: compilers make compare chains, jump tables and mixtures of them, so
 * the program itself is asked. A branch that is dropped again gets the value where the first comparison is about to
 * be made, and runs until control leaves the statement.
 */
import { UserError } from '../base/errors.js';
import { guestAddr } from '../base/types.js';
import type { BranchExecution } from '../replay/branch/branchExecution.js';
import type { Position } from '../replay/log/position.js';
import type { State } from '../replay/timeline/state.js';
import type { Work } from '../replay/timeline/work.js';
import type { CodeStep, Compared } from '../x86/codeSteps.js';
import type { WhatIf } from './apply.js';
import type { MetPlan } from './arrivals.js';
import { comparisonsOf, offsetAt, tableTargets, valuesToAsk } from './caseCode.js';
import { CodePatches } from './codePatches.js';
import { type Plan, readerOf } from './plan.js';
import type { SpareRooms } from './spareRoom.js';
import { isIn, type StatementCode } from './statementCode.js';
import { frameOf, nextIn } from './strike.js';

/** Values that hardly are cases: what they agree on is the default. */
const UNLIKELY = [0x5a5a_5a5bn, -0x5a5a_5a5dn, 0x1234_5671n];
const BITS = 8n;

/** A value that selects a case, as users name it. */
type CaseValue = bigint | 'default';

/** Ways out of a `switch` statement: for each a value that leads there. */
export type CaseExits = ReadonlyMap<number, CaseValue>;

/** The plan of an alteration that goes to a case, complete. The recording is moved. */
export async function withCase(whatIf: WhatIf, met: MetPlan, rooms: SpareRooms, work?: Work): Promise<Plan> {
  const { plan } = met;
  const { alteration: { to, place }, code } = plan;
  if (to === undefined || code === undefined) return plan;
  const { recording, program } = whatIf;
  const selection = await selectionAt(whatIf, met, code, work);
  const exit = to === 'default' ? await defaultOf(selection) : await selection.exitFor(to);
  if (exit === undefined) throw new UserError(`${place}: where its default is cannot be found out; name a value`);
  await recording.seek(met.hit.position, work);
  const patches = new CodePatches(readerOf(program), rooms.of(code.module));
  if (plan.alteration.which === 'all') patches.goTo(selection.step, exit, code.function);
  return { ...plan, patches: patches.patches, atInstance: { kind: 'goTo', from: selection.step, to: exit } };
}

/** Found out at one instance, true of all. The recording is moved. */
export async function caseExits(whatIf: WhatIf, met: MetPlan, work?: Work): Promise<CaseExits> {
  const code = met.plan.code as StatementCode;
  const selection = await selectionAt(whatIf, met, code, work);
  const exits = new Map<number, CaseValue>();
  const otherwise = await defaultOf(selection);
  if (otherwise !== undefined) exits.set(otherwise, 'default');
  const open = new Set(tableTargets(code));
  open.delete(otherwise ?? -1);
  for (const value of valuesToAsk(code, whatIf.statements)) {
    const exit = await selection.exitFor(value);
    if (!exits.has(exit)) exits.set(exit, value);
    // In a table of thousands most entries are the same.
    if (open.delete(exit) && open.size === 0 && comparisonsOf(code).length === 1) break;
  }
  return exits;
}

/** The way out that the recorded run takes. It is moved. */
export async function exitTaken(whatIf: WhatIf, met: MetPlan, work?: Work): Promise<number> {
  return (await selectionAt(whatIf, met, met.plan.code as StatementCode, work)).exitFor(undefined);
}

/** Where the value that selects the case is about to be compared for the first time. */
interface Selection {
  readonly step: CodeStep;
  /** Undefined: for the value that there is. */
  exitFor(value: bigint | undefined): Promise<number>;
}

async function selectionAt({ recording, maker, statements }: WhatIf, { hit, plan }: MetPlan, code: StatementCode, work: Work | undefined): Promise<Selection> {
  await recording.seek(hit.position, work);
  const comparisons = comparisonsOf(code);
  const first = await nextIn(recording, comparisons, frameOf(recording.state, plan, hit.task), plan, work);
  const step = comparisons.find(({ address }) => address === first.rip) as CodeStep;
  const offset = offsetAt(step, code, statements);
  return {
    step,
    async exitFor(value) {
      const branch = await maker.branchAt(first.position, work);
      try {
        return await exitFor(branch, first.position, hit.task, step, value === undefined ? undefined : value + offset, code, work);
      } finally {
        branch.drop();
      }
    },
  };
}

async function defaultOf({ exitFor: goes }: Selection): Promise<number | undefined> {
  const exits = new Set<number>();
  for (const value of UNLIKELY) exits.add(await goes(value));
  const [exit] = exits;
  return exits.size > 1 ? undefined : exit;
}

async function exitFor(branch: BranchExecution, start: Position, thread: number, { compares }: CodeStep, value: bigint | undefined, { pieces, place, function: { steps } }: StatementCode, work: Work | undefined): Promise<number> {
  await branch.seek(start, work);
  if (value !== undefined) await give(branch, thread, compares as Compared, value);
  const outside = steps.filter(({ address }) => !isIn(pieces, address)).map(({ address }) => guestAddr(address));
  const hit = await branch.forward([{ kind: 'address', addresses: outside }], work, { accepts: ({ task }) => task === thread });
  if (hit === undefined) throw new UserError(`${place}: it goes nowhere${value === undefined ? '' : ` for ${value}`}`);
  return hit.rip;
}

async function give(branch: BranchExecution, thread: number, compared: Compared, value: bigint): Promise<void> {
  const bytes = new Uint8Array(BigUint64Array.of(BigInt.asUintN(64, value)).buffer).subarray(0, compared.bytes);
  if (compared.kind === 'memory') return branch.writeMemory(thread, addressOf(branch.state, thread, compared), bytes);
  const width = BigInt(compared.bytes) * BITS;
  const low = BigInt.asUintN(Number(width), value);
  const whole = branch.state.register(thread, compared.name) ?? 0n;
  // What is written to 32 bits clears those above.
  const kept = compared.bytes >= 4 ? 0n : (whole >> width) << width;
  await branch.setRegister(thread, compared.name, kept | low);
}

function addressOf(state: State, thread: number, { base, index, scale, displacement }: Compared & { readonly kind: 'memory' }): number {
  const register = (name: string | undefined): bigint => (name === undefined ? 0n : (state.register(thread, name) ?? 0n));
  return Number(BigInt.asUintN(64, register(base) + register(index) * BigInt(scale) + displacement));
}
