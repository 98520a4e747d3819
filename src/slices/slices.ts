/**
 * Slices of what a debugger debugs: one slicer for each execution (the recording, or a what-if branch), so that the
 * second slice is cheaper than the first.
 */
import type { Debugger } from '../debugger/control/debugger.js';
import type { Execution } from '../replay/timeline/execution.js';
import type { Work } from '../replay/timeline/work.js';
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

export class Slices {
  private readonly slicers = new WeakMap<Execution, Slicer>();

  constructor(private readonly debug: Debugger) {}

  /** Of all that a statement uses, of things at a statement, of things where the debugger stands, or of the crash. */
  async backward(statement: string | undefined, things: readonly string[], options: SliceOptions = {}, work?: Work): Promise<Slice> {
    return this.answer(await sliceQuestion(this.debug, statement, things, work), options, work);
  }

  async answer(question: SliceQuestion, { kind, intoLibraries = false, frames = false }: SliceOptions = {}, work?: Work): Promise<Slice> {
    const slicer = this.slicer;
    const result = await slicer.slice(question, {
      data: kind !== 'control', control: kind !== 'data', frames,
      nodeOf: intoLibraries ? ({ id }) => id : ({ id }, site) => (site >= 0 ? site : id),
    }, work);
    return makeSlice(question.title, result, slicer.programs, { intoLibraries });
  }

  private get slicer(): Slicer {
    const { execution, modules } = this.debug;
    let known = this.slicers.get(execution);
    if (known === undefined) this.slicers.set(execution, (known = new Slicer(execution, modules)));
    return known;
  }
}
