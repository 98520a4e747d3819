/** Operations as statements of the source: the line of the user's own code that did them. */
import { hex } from '../../base/types.js';
import { Backtrace } from '../../debugger/program/backtrace.js';
import type { ProgramView } from '../../debugger/program/programView.js';
import { statementName } from '../../debugger/program/statements.js';
import { isOwnCode, viewOf } from '../../flow/ownCode.js';
import { at } from '../../replay/log/position.js';
import type { Work } from '../../replay/timeline/work.js';
import { whereabouts } from '../../slices/whereabouts.js';
import type { ShapedRun } from '../history/shapedRun.js';
import type { Operation } from '../model.js';

export interface ShapeFrame {
  readonly function: string | undefined;
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly address: string;
}

const DEEPEST = 64;

export class Places {
  private readonly known = new Map<number, ShapeFrame | undefined>();

  constructor(private readonly run: ShapedRun) {}

  /** The execution moves if the operation was done by a library's code. */
  async of({ by: { address, thread }, time, kind }: Operation, work?: Work): Promise<ShapeFrame> {
    const view = viewOf(this.run.execution.state, thread, this.run.modules);
    if (!this.known.has(address)) this.known.set(address, view === undefined ? undefined : ownLine(view, address));
    const own = this.known.get(address);
    // What comes and goes is known by where the call comes back to.
    return own ?? (kind === 'written' ? this.visit(time, thread, work) : bare(address));
  }

  /** All frames of that time. */
  async stack({ by: { thread }, time }: Operation, work?: Work): Promise<ShapeFrame[]> {
    const view = await this.viewAt(time, thread, work);
    return view === undefined ? [] : new Backtrace(view).frames(DEEPEST).map(frameOf);
  }

  private async visit(time: number, thread: number, work?: Work): Promise<ShapeFrame> {
    const view = await this.viewAt(time, thread, work);
    const frame = view === undefined ? undefined : whereabouts(view).frame;
    return frame === undefined ? bare(Number(view?.pc ?? 0n)) : frameOf(frame);
  }

  private async viewAt(time: number, thread: number, work?: Work): Promise<ProgramView | undefined> {
    const { execution, modules } = this.run;
    await execution.seek(at(Math.min(time, execution.endTime)), work);
    return viewOf(execution.state, thread, modules);
  }
}

function ownLine(view: ProgramView, address: number): ShapeFrame | undefined {
  const module = isOwnCode(view, address) ? view.moduleAt(BigInt(address)) : undefined;
  const range = module?.file.lineRangeAt(address - Number(module.bias));
  if (range === undefined) return undefined;
  return { function: view.symbols.at(BigInt(address))?.symbol.name, file: range.file?.path, line: range.line, address: hex(address) };
}

function frameOf({ functionName, path, line, pc }: { readonly functionName: string | undefined; readonly path: string | undefined; readonly line: number; readonly pc: bigint }): ShapeFrame {
  return { function: functionName, file: line > 0 ? path : undefined, line: line > 0 ? line : undefined, address: hex(Number(pc)) };
}

function bare(address: number): ShapeFrame {
  return { function: undefined, file: undefined, line: undefined, address: hex(address) };
}

/** As lists name it: FILE:LINE, or without lines FUNCTION, or the address. */
export function placeName({ file, line, function: name, address }: ShapeFrame): string {
  return file !== undefined && line !== undefined ? statementName({ path: file, line, part: undefined }) : (name ?? address);
}
