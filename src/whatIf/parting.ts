/**
 * Where two runs part: the first line that one of them executes and the other does not. Lines of source that each run
 * executes are gathered from where the runs may differ first, further and further, until they are not the same.
 */
import { guestAddr } from '../base/types.js';
import type { LoggedBlock } from '../ir/loggedBlocks.js';
import type { Modules } from '../debugger/program/modules.js';
import type { Statement, Statements } from '../debugger/program/statements.js';
import type { BranchExecution } from '../replay/branch/branchExecution.js';
import { at, comparePositions, type Position } from '../replay/log/position.js';
import type { Execution } from '../replay/timeline/execution.js';
import type { ExecutionListener, ObservedRun } from '../replay/timeline/observing.js';
import type { Work } from '../replay/timeline/work.js';

/** An execution, with the recording that a branch goes on from. */
export interface Run {
  readonly execution: Execution;
  readonly before?: Execution | undefined;
}

export interface LineReached {
  readonly time: number;
  readonly thread: number;
  readonly path: string;
  readonly line: number;
}

export interface Parting {
  /** The last line that both executed; undefined if they have none in common. */
  readonly last: LineReached | undefined;
  /** What each executed next; undefined if it ended. */
  readonly next: readonly [LineReached | undefined, LineReached | undefined];
}

export interface SourceOfLines {
  readonly modules: Modules;
  readonly statements: Statements;
}

const EARLIER = 1 << 12;
const FIRST_LOOK = 1 << 14;
const LAST_LOOK = 1 << 26;
const FACTOR = 16;

/** Undefined if they are the same as far as was looked. Positions stay. */
export async function partingOf(a: Run, b: Run, source: SourceOfLines, work?: Work): Promise<Parting | undefined> {
  const starts = [a, b].flatMap(({ execution, before }) => (before === undefined ? [] : [execution.start]));
  const begin = starts.reduce<Position | undefined>((first, start) => (first === undefined || comparePositions(start, first) < 0 ? start : first), undefined) ?? a.execution.start;
  // What both did before is told, too.
  const from = at(Math.max((a.before ?? a.execution).start.time, begin.time - EARLIER));
  for (let look = FIRST_LOOK; look <= LAST_LOOK; look *= FACTOR) {
    const [first, second] = [await linesFrom(a, from, look, source, work), await linesFrom(b, from, look, source, work)];
    const shorter = Math.min(first.lines.length, second.lines.length);
    let same = 0;
    while (same < shorter && isSame(first.lines[same] as LineReached, second.lines[same] as LineReached)) same++;
    const [left, right] = [first.lines[same], second.lines[same]];
    const isOver = (left === undefined && !first.isAll) || (right === undefined && !second.isAll);
    if (left === undefined && right === undefined && first.isAll && second.isAll) return undefined;
    if (!isOver) return { last: first.lines[same - 1], next: [left, right] };
  }
  return undefined;
}

function isSame(a: LineReached, b: LineReached): boolean {
  return a.line === b.line && a.path === b.path && a.thread === b.thread;
}

async function linesFrom({ execution, before }: Run, from: Position, look: number, source: SourceOfLines, work: Work | undefined): Promise<{ readonly lines: readonly LineReached[]; readonly isAll: boolean }> {
  const gathered = new Lines(source);
  const to = at(from.time + look);
  if (before !== undefined && comparePositions(from, execution.start) < 0) {
    const end = comparePositions(to, execution.start) < 0 ? to : execution.start;
    await before.observe({ addresses: false }, gathered, from, end, work);
    gathered.goOn();
  }
  const start = comparePositions(from, execution.start) < 0 ? execution.start : from;
  const isOpen = 'end' in execution && (execution as BranchExecution).end === undefined;
  const end = isOpen || to.time < execution.endTime ? to : undefined;
  if (end === undefined || comparePositions(start, end) < 0) await execution.observe({ addresses: false }, gathered, start, end, work);
  const hasEnded = !('end' in execution) || (execution as BranchExecution).end !== undefined;
  return { lines: gathered.lines, isAll: hasEnded && to.time >= execution.endTime };
}

/** Lines in the order in which they are reached. */
class Lines implements ExecutionListener {
  readonly lines: LineReached[] = [];
  private known = new Map<number, readonly { readonly statement: Statement | undefined; readonly offset: number }[]>();
  private readonly last = new Map<number, Statement | undefined>();

  constructor(private readonly source: SourceOfLines) {}

  /** Blocks have other numbers now. */
  goOn(): void {
    this.known = new Map();
  }

  ran(run: ObservedRun): void {
    let { time } = run;
    for (const number of run.blocks) {
      const block = run.known.get(number);
      for (const { statement, offset } of this.linesOf(block, run)) this.reach(statement, time + offset, run.thread);
      time += block.lengths.length;
    }
  }

  private reach(statement: Statement | undefined, time: number, thread: number): void {
    const last = this.last.get(thread);
    this.last.set(thread, statement);
    if (statement === undefined || (last !== undefined && last.line === statement.line && last.path === statement.path)) return;
    this.lines.push({ time, thread, path: statement.path, line: statement.line });
  }

  private linesOf(block: LoggedBlock, { state, thread }: ObservedRun): readonly { readonly statement: Statement | undefined; readonly offset: number }[] {
    const known = this.known.get(block.number);
    if (known !== undefined) return known;
    const module = this.source.modules.of(state, thread).at(BigInt(block.start));
    const found: { statement: Statement | undefined; offset: number }[] = [];
    const bytes = block.next - block.start;
    const [now, inFile] = [state.read(thread, guestAddr(block.start), bytes), module?.file.readCode(block.start - Number(module.bias), bytes)];
    // Code that was changed stands for a statement, but is none.
    const isOwn = (address: number, length: number): boolean => {
      const start = address - block.start;
      return now === null || inFile === undefined || now.subarray(start, start + length).every((byte, i) => byte === inFile[start + i]);
    };
    let address = block.start;
    block.lengths.forEach((length, offset) => {
      const statement = module === undefined || !isOwn(address, length) ? undefined : this.source.statements.at(module, address);
      if (offset === 0 || statement !== found.at(-1)?.statement) found.push({ statement, offset });
      address += length;
    });
    this.known.set(block.number, found);
    return found;
  }
}
