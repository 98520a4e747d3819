/**
 * Slices of what a debugger debugs: one slicer for each execution (the recording, or a what-if branch), so that the
 * second slice is cheaper than the first.
 */
import { assert } from '../base/assert.js';
import type { Debugger } from '../debugger/control/debugger.js';
import { at } from '../replay/log/position.js';
import type { Execution } from '../replay/timeline/execution.js';
import type { Work } from '../replay/timeline/work.js';
import type { WalkOptions } from './backward.js';
import { type SliceQuestion, sliceQuestion } from './criteria.js';
import { makeSlice, type Slice } from './slice.js';
import { Slicer } from './slicer.js';

export interface SliceOptions {
  /** Default: both. */
  readonly kind?: 'data' | 'control';
  readonly intoLibraries?: boolean;
  /** What functions do to set up and leave their frames counts, too. */
  readonly frames?: boolean;
}

function walkOptions({ kind, intoLibraries = false, frames = false }: SliceOptions): WalkOptions {
  return {
    data: kind !== 'control', control: kind !== 'data', frames,
    nodeOf: intoLibraries ? ({ id }) => id : ({ id }, site) => (site >= 0 ? site : id),
  };
}

export class Slices {
  private readonly slicers = new WeakMap<Execution, Slicer>();

  constructor(private readonly debug: Debugger) {}

  /** Of all that a statement uses, of things at a statement, of things where the debugger stands, or of the crash. */
  async backward(statement: string | undefined, things: readonly string[], options: SliceOptions = {}, work?: Work): Promise<Slice> {
    return this.answer(await sliceQuestion(this.debug, statement, things, work), options, work);
  }

  async answer(question: SliceQuestion, options: SliceOptions = {}, work?: Work): Promise<Slice> {
    const slicer = this.slicer;
    const { graph, walk, instructions } = await slicer.slice(question, walkOptions(options), work);
    const { intoLibraries = false } = options;
    return makeSlice(question.title, { graph, inputs: [...walk.inputs.values()].reverse(), instructions }, slicer.programs, { intoLibraries });
  }

  /** What an instance of a statement had an influence on. */
  async forward(statement: string, options: SliceOptions = {}, work?: Work): Promise<Slice> {
    const { title, seeds } = await sliceQuestion(this.debug, statement, [], work);
    assert(seeds !== undefined, 'a statement has instances');
    const slicer = this.slicer;
    const end = at(this.debug.execution.endTime);
    const graph = await slicer.forward(seeds, walkOptions(options), end, work);
    const { intoLibraries = false } = options;
    return makeSlice(`what ${title} had an influence on`, { graph, inputs: [], instructions: end.time - seeds.from }, slicer.programs, { intoLibraries, isForward: true });
  }

  private get slicer(): Slicer {
    const { execution, modules } = this.debug;
    let known = this.slicers.get(execution);
    if (known === undefined) this.slicers.set(execution, (known = new Slicer(execution, modules)));
    return known;
  }
}
