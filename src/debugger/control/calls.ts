/** `FUNCTION#N`: the N-th call of a function in a run, as `culprit count` counts calls. */
import { UserError } from '../../base/errors.js';
import type { LoggedBlock } from '../../ir/loggedBlocks.js';
import { at, comparePositions, type Position } from '../../replay/log/position.js';
import type { ObservedRun } from '../../replay/timeline/observing.js';
import type { Work } from '../../replay/timeline/work.js';
import { TOLD, type ToldBlock } from '../arrivals/arrivalLoop.js';
import { ArrivalPass, type PassListener, type TrailedThread } from '../arrivals/arrivalPass.js';
import type { MetBlock } from '../arrivals/blockRows.js';
import { type CodeFunction, CodeFunctions } from '../program/codeFunctions.js';
import { withoutParameters } from '../program/functionNames.js';
import type { ModuleFile } from '../program/moduleFile.js';
import type { LoadedModule, Modules } from '../program/modules.js';
import type { Arrival } from './instanceCounter.js';
import { type InstanceRun, observeAll } from './instances.js';

interface CallBlock extends MetBlock {
  /** Which instructions, and where they are, begin functions of the name. */
  readonly entries: readonly { readonly offset: number; readonly address: number }[];
}

/** The N-th call; from -1 down: the last ones before `before`. A UserError if there is none. */
export async function findCall(run: InstanceRun, name: string, number: number, before?: Position, work?: Work): Promise<Arrival> {
  if (number === 0) throw new UserError('calls are counted from #1 on; #-1 is the last one before here');
  const isBack = number < 0;
  const kept: Arrival[] = [];
  const counter = new CallCounter(run.modules, name, (call) => {
    if (isBack ? before === undefined || comparePositions(at(call.time), before) < 0 : call.number === number) kept.push(call);
    if (kept.length > Math.abs(number)) kept.shift();
  });
  await observeAll(run, counter, isBack ? before : undefined, isBack ? undefined : () => kept.length > 0, work);
  const found = isBack ? kept[kept.length + number] : kept[0];
  if (found !== undefined) return found;
  if (counter.calls === 0) throw new UserError(`no call of ${name}${isBack ? ' before here' : ''}: culprit count --all lists the functions that ran`);
  throw new UserError(`${name} was called ${counter.calls === 1 ? 'once' : `${counter.calls} times`}${isBack ? ` before here, so there is no #${number}` : `, not ${number}`}`);
}

class CallCounter implements PassListener<CallBlock> {
  readonly pass = new ArrivalPass<CallBlock>(this);
  calls = 0;
  private readonly functions = new Map<ModuleFile, CodeFunctions>();
  private readonly numbers = new Map<CodeFunction, number>();

  constructor(
    private readonly modules: Modules,
    private readonly name: string,
    private readonly onCall: (call: Arrival) => void,
  ) {}

  meet(block: LoggedBlock, run: ObservedRun): CallBlock {
    const module = this.modules.of(run.state, run.thread).at(BigInt(block.start));
    const units = Array.from(block.lengths, () => 0);
    if (module === undefined) return { block, units, unitBefore: 0, functions: [0, 0], isEntry: false, isWatched: false, entries: [] };
    const entries: { offset: number; address: number }[] = [];
    let address = block.start;
    const all = Array.from(block.lengths, (length, offset) => {
      const found = this.functionsOf(module).at(address - Number(module.bias));
      const isEntry = found.entry === address - Number(module.bias);
      if (isEntry && this.isMeant(found)) entries.push({ offset, address });
      address += length;
      return { found, isEntry };
    });
    const [first, last] = [all[0], all.at(-1)];
    return { block, units, unitBefore: 0, functions: [this.numberOf(first?.found), this.numberOf(last?.found)], isEntry: first?.isEntry === true, isWatched: entries.length > 0, entries };
  }

  told({ how, time }: ToldBlock, { entries }: CallBlock, { id }: TrailedThread): void {
    for (const { offset, address } of entries) {
      if (offset === 0 && (how & TOLD.called) === 0) continue;
      this.onCall({ unit: 0, number: ++this.calls, time: time + offset, thread: id, address });
    }
  }

  private isMeant({ name, isStub }: CodeFunction): boolean {
    return !isStub && (name === this.name || withoutParameters(name) === this.name);
  }

  private functionsOf(module: LoadedModule): CodeFunctions {
    let known = this.functions.get(module.file);
    if (known === undefined) this.functions.set(module.file, (known = new CodeFunctions(module)));
    return known;
  }

  private numberOf(one: CodeFunction | undefined): number {
    if (one === undefined) return 0;
    const number = this.numbers.get(one) ?? this.numbers.size + 1;
    this.numbers.set(one, number);
    return number;
  }
}
