/**
 * Line and call counts of a stretch of an execution, of all its threads and processes together.
 *
 * A *call* is an arrival at a function's first instruction other than by a jump within the function: by a call, by a
 * jump from another function, by a signal. A line is counted when control arrives at it (debugger/arrivals).
 */
import { ArrivalPass } from '../debugger/arrivals/arrivalPass.js';
import type { MetBlock } from '../debugger/arrivals/blockRows.js';
import { LineUnits, unitOfCall } from '../debugger/arrivals/units.js';
import type { ModuleFile } from '../debugger/program/moduleFile.js';
import type { Modules } from '../debugger/program/modules.js';
import { ProgramView } from '../debugger/program/programView.js';
import { Statements } from '../debugger/program/statements.js';
import type { LoggedBlock } from '../ir/loggedBlocks.js';
import type { Position } from '../replay/log/position.js';
import type { Execution } from '../replay/timeline/execution.js';
import type { ObservedRun } from '../replay/timeline/observing.js';
import type { Work } from '../replay/timeline/work.js';
import type { CodeFunction } from '../debugger/program/codeFunctions.js';
import { type CodePlace, CodePlaces } from './codePlaces.js';

export interface FunctionCount {
  readonly function: CodeFunction;
  readonly calls: number;
  /** Its own, without what it calls. */
  readonly instructions: number;
  /** Whether it is the user's own code. */
  readonly isOwn: boolean;
}

export interface Counts {
  /** Those that were executed, in no order. */
  readonly functions: readonly FunctionCount[];
  /** By path, then by line. */
  readonly lines: ReadonlyMap<string, ReadonlyMap<number, number>>;
  readonly instructions: number;
  /** Programs and libraries of which something was executed. */
  readonly modules: readonly ModuleFile[];
}

/** Counts what is executed in [from, to); everything, if it is not said. The position stays. */
export async function countStretch(execution: Execution, modules: Modules, { from, to }: { from?: Position; to?: Position } = {}, work?: Work): Promise<Counts> {
  const counting = new Counting(modules);
  await execution.observe({ addresses: false }, counting.pass, from, to, work);
  return counting.result();
}

interface CountedBlock extends MetBlock {
  readonly places: readonly CodePlace[];
}

class Counting {
  /** Lines are units of their own: no source has to be read. */
  private readonly statements = new Statements({ lines: () => undefined });
  private readonly units = new LineUnits(this.statements);
  private readonly places = new CodePlaces(this.units);
  private readonly functionNumbers = new Map<CodeFunction, number>();
  readonly pass = new ArrivalPass<CountedBlock>({ meet: (block, run) => this.meet(block, run) });
  private run: ObservedRun | undefined;
  private view: ProgramView | undefined;

  constructor(private readonly modules: Modules) {}

  result(): Counts {
    const functions = new Map<CodeFunction, { calls: number; instructions: number }>();
    const lines = new Map<number, number>();
    for (const program of this.pass.programs) {
      for (const [number, { places, units }] of program.met) {
        const { count, entered, arrived } = program.of(number);
        let last = 0;
        for (const unit of units) {
          if (unit !== 0 && unit !== last) lines.set(unit, (lines.get(unit) ?? 0) + (last === 0 ? entered : count));
          if (unit !== 0) last = unit;
        }
        places.forEach(({ function: one, isEntry }, i) => {
          if (one === undefined) return;
          const sum = functions.get(one) ?? { calls: 0, instructions: 0 };
          functions.set(one, sum);
          sum.instructions += count;
          if (isEntry) sum.calls += i === 0 ? arrived : count;
        });
      }
    }
    return {
      functions: [...functions].map(([one, sums]) => ({ function: one, ...sums, isOwn: this.places.isOwn(one) })),
      lines: this.byPath(lines), instructions: this.pass.instructions, modules: this.places.modules,
    };
  }

  private byPath(lines: ReadonlyMap<number, number>): Map<string, Map<number, number>> {
    const paths = new Map<string, Map<number, number>>();
    for (const [number, count] of lines) {
      const { path, line } = this.statements.withUnit(number) ?? { path: '', line: 0 };
      const own = paths.get(path) ?? new Map<number, number>();
      paths.set(path, own.set(line, count));
    }
    return paths;
  }

  private meet(block: LoggedBlock, run: ObservedRun): CountedBlock {
    if (this.run !== run) this.view = undefined;
    this.run = run;
    const view = (this.view ??= this.viewOf(run));
    const module = view.moduleAt(BigInt(block.start));
    const places = this.places.placesOf(block, module, view);
    return {
      block, places, units: places.map(({ unit }) => unit), unitBefore: unitOfCall(block, module, this.units),
      functions: [this.numberOf(places[0]?.function), this.numberOf(places.at(-1)?.function)], isEntry: places[0]?.isEntry === true, isWatched: false,
    };
  }

  private numberOf(one: CodeFunction | undefined): number {
    if (one === undefined) return 0;
    const number = this.functionNumbers.get(one) ?? this.functionNumbers.size + 1;
    this.functionNumbers.set(one, number);
    return number;
  }

  private viewOf({ state, thread }: ObservedRun): ProgramView {
    return new ProgramView(state, state.threads.find(({ id }) => id === thread) ?? { id: thread, tid: 0, pid: 0, name: '' }, this.modules);
  }
}
