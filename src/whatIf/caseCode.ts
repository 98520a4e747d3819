/**
 * `switch` statements in machine code: comparisons of one value, one after the other, jump tables, and mixtures of
 * them. Says whether a statement is one, where its tables lead, and which values are worth asking the program for
 * (caseTarget.ts) so that every way out of it is met.
 *
 * Compilers take the lowest case off before they look into a table: `switch (n)` with cases from 10 on compares n - 10.
 * `switch (n - 10)` with cases from 0 on is the same code; only the column in the line table tells who subtracts.
 */
import { guestAddr } from '../base/types.js';
import { lineAt } from '../dwarf/sourceFrames.js';
import { unlessCorrupt } from '../dwarf/dwarfError.js';
import type { Statements } from '../debugger/program/statements.js';
import { FunctionGraphs } from '../graphs/functionGraphs.js';
import { LoadedCode } from '../graphs/loadedCode.js';
import type { CodeStep, Compared } from '../x86/codeSteps.js';
import { conditionsOf } from './conditions.js';
import type { StatementCode } from './statementCode.js';

/** Larger tables are looked at up to here. */
const MOST_VALUES = 1024n;
/** How many instructions before a comparison what it compares may be made. */
const NEAR = 8;

/** Comparisons with constants, in the order of addresses. */
export function comparisonsOf({ pieces }: StatementCode): CodeStep[] {
  return pieces.flatMap(({ steps }) => steps).filter(({ compares }) => compares !== undefined);
}

/** Whether control goes from it to more than two places, by what one value is. */
export function isByCases(code: StatementCode): boolean {
  if (comparisonsOf(code).length === 0) return false;
  return tableTargets(code).length > 0 || isChain(code);
}

/** Where the jump tables of a statement lead, each place once. */
export function tableTargets({ pieces, program }: StatementCode): readonly number[] {
  const jumps = pieces.flatMap(({ steps }) => steps).filter(({ flow }) => flow === 'indirectJump');
  if (jumps.length === 0) return [];
  const source = new LoadedCode(() => program.modules, (address, length) => program.state.read(program.thread.id, guestAddr(address), length));
  const graphs = new FunctionGraphs(source);
  const targets = jumps.flatMap(({ address }) => {
    const around = source.functionAround(address);
    const graph = around === undefined ? undefined : graphs.graphOf(around.entry);
    const node = graph?.nodeAt(address);
    // A jump that is not understood is a call in place of a return, or a computed goto.
    return graph === undefined || node === undefined || node.last !== address || node.leaves ? [] : node.successors.map((one) => graph.nodes[one]?.start ?? 0);
  });
  return [...new Set(targets)];
}

/** Nothing happens between its comparisons, and all are of the same value. */
function isChain(code: StatementCode): boolean {
  const all = code.pieces.flatMap(({ steps }) => steps);
  const steps = all.slice(all.findIndex(({ compares }) => compares !== undefined));
  const places = new Set(steps.flatMap(({ compares }) => (compares === undefined ? [] : [placeCompared(compares)])));
  const isPlain = ({ flow, compares, adds, isNop }: CodeStep): boolean => flow === 'conditional' || flow === 'jump' || (flow === 'next' && (compares !== undefined || adds !== undefined || isNop));
  if (places.size !== 1 || !steps.every(isPlain)) return false;
  const conditions = conditionsOf(code);
  return conditions.length > 1 || conditions.some(({ exits }) => exits.length > 2);
}

function placeCompared(compared: Compared): string {
  if (compared.kind === 'register') return compared.name;
  const { base, index, scale, displacement } = compared;
  return `${base} ${index} ${scale} ${displacement}`;
}

/** What was added to the value that the cases are of, before a comparison looks at it. */
export function offsetAt(comparison: CodeStep, code: StatementCode, statements: Statements): bigint {
  const { compares } = comparison;
  if (compares?.kind !== 'register') return 0n;
  const { steps } = code.function;
  const isTarget = (address: number): boolean => steps.some(({ target }) => target === address);
  let offset = 0n;
  let at = steps.findIndex(({ address }) => address === comparison.address);
  for (let i = 0; i < NEAR && !isTarget((steps[at] as CodeStep).address); i++) {
    const before = steps[--at];
    if (before === undefined || (before.flow !== 'next' && before.flow !== 'conditional')) break;
    if (before.operand !== compares.name || before.compares !== undefined) continue;
    if (before.adds === undefined || !isCompilers(before, code, statements)) break;
    offset += before.adds;
  }
  return offset;
}

/** Whether the source has nothing that an instruction does: then it is where the statement begins. */
function isCompilers({ address }: CodeStep, { module }: StatementCode, statements: Statements): boolean {
  const { info, bias } = module;
  const column = info === undefined ? undefined : unlessCorrupt(() => lineAt(info, address - Number(bias))?.column, () => undefined);
  const own = statements.at(module, address);
  const part = own === undefined ? undefined : statements.partsOf(own.path, own.line)?.find(({ start }) => start === own.column);
  if (column === undefined || part === undefined || own?.text === undefined) return true;
  // Parts begin with the white space before them.
  return column <= part.end - own.text.length;
}

/** Values of which at least one leads to each way out, as far as comparisons and tables tell. */
export function valuesToAsk(code: StatementCode, statements: Statements): bigint[] {
  const values = new Set<bigint>();
  const hasTable = tableTargets(code).length > 0;
  for (const step of comparisonsOf(code)) {
    const { constant } = step.compares as Compared;
    const offset = offsetAt(step, code, statements);
    const last = constant < MOST_VALUES ? constant : MOST_VALUES;
    if (hasTable) for (let index = 0n; index <= last; index++) values.add(index - offset);
    for (const near of [-1n, 0n, 1n]) values.add(constant - offset + near);
  }
  return [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}
