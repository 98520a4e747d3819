/** `culprit count`: how often functions were called and lines ran. */
import { UserError } from '../../base/errors.js';
import { jsonText, visibleLine } from '../../base/visible.js';
import { type Counts, countStretch, type FunctionCount } from '../../counts/counting.js';
import { type ListedFunction, listExecuted, listFunctions } from '../../counts/functionListing.js';
import { Modules } from '../../debugger/program/modules.js';
import { SourceText } from '../../debugger/program/sourceText.js';
import { at } from '../../replay/log/position.js';
import type { CheckpointMemoryOptions } from '../arguments/checkpointMemory.js';
import { statusOn, tellLoss } from '../opening/lost.js';
import { NODE_FILES } from '../opening/nodeFiles.js';
import { checkTime, openedRecording, timelineOf } from '../opening/openedRecording.js';
import { count, plural } from '../output/numbers.js';
import { LineWriter, untilReaderGone } from '../output/output.js';
import { Progress } from '../output/progress.js';
import { wantsColour } from '../output/report.js';
import { setPatience } from '../v8/tiering.js';

export interface CountOptions extends CheckpointMemoryOptions {
  readonly from?: number;
  readonly to?: number;
  readonly lines?: boolean;
  readonly all?: boolean;
  readonly json?: boolean;
}

const NEVER_RAN = '#####';
const NO_CODE = '-';
const [RED, PLAIN] = ['\u001b[31m', '\u001b[0m'];

export async function countCommand(path: string, names: readonly string[], options: CountOptions): Promise<number> {
  const recording = openedRecording(path);
  const { from, to } = options;
  for (const time of [from, to]) if (time !== undefined) checkTime(recording, time);
  if (from !== undefined && to !== undefined && from > to) throw new UserError(`--from ${count(from)} is after --to ${count(to)}`);
  tellLoss(recording);
  setPatience('guest code');
  const timeline = timelineOf(recording, { checkpointMemory: options.checkpointMemory });
  const progress = new Progress('counting', options.json !== true);
  const work = { progress: (done: number, total: number) => progress.report(done / total) };
  const stretch = { ...(from === undefined ? {} : { from: at(from, 0) }), ...(to === undefined ? {} : { to: at(to, 0) }) };
  const counts = await countStretch(timeline, new Modules(NODE_FILES), stretch, work);
  progress.clear();
  const listed = chosen(counts, names, options);
  return untilReaderGone(() => {
    new Report(counts, options).tell(listed);
    return statusOn(recording, 0);
  });
}

/** The functions whose lines are wanted; undefined: a table of all. Throws a UserError if there is none of a name. */
function chosen(counts: Counts, names: readonly string[], options: CountOptions): ListedFunction[] | undefined {
  if (names.length === 0 && options.lines !== true) return undefined;
  if (names.length === 0) return wanted(counts, options).map((one) => listExecuted(one, counts)).sort(bySource);
  return names.flatMap((name) => {
    const found = listFunctions(name, counts);
    if (found.length === 0) throw new UserError(`no function ${name} in what ran: culprit count --all lists those that did`);
    return found;
  });
}

function bySource(a: ListedFunction, b: ListedFunction): number {
  const [left, right] = [a.source ?? { path: a.module, line: 0 }, b.source ?? { path: b.module, line: 0 }];
  return left.path === right.path ? left.line - right.line : left.path < right.path ? -1 : 1;
}

/** The user's own functions first, then by what they took. */
function wanted({ functions }: Counts, { all }: CountOptions): FunctionCount[] {
  const shown = functions.filter(({ isOwn }) => isOwn || all === true);
  return shown.sort((a, b) => Number(b.isOwn) - Number(a.isOwn) || b.instructions - a.instructions || (a.function.name < b.function.name ? -1 : 1));
}

class Report {
  private readonly out = new LineWriter();
  private readonly sources = new SourceText(NODE_FILES);
  private readonly isColoured = wantsColour(process.stdout);

  constructor(
    private readonly counts: Counts,
    private readonly options: CountOptions,
  ) {}

  tell(listed: readonly ListedFunction[] | undefined): void {
    if (this.options.json === true) this.out.line(jsonText(this.json(listed), 2));
    else if (this.counts.instructions === 0) this.out.line('nothing ran in this part of the recording');
    else if (listed === undefined) this.table();
    else if (listed.length === 0) this.out.line("none of the program's own functions ran in this part of the recording (--all has libraries, too)");
    else listed.forEach((one, i) => this.listing(one, i === 0));
    this.out.flush();
  }

  private table(): void {
    const { counts, options, out } = this;
    const shown = wanted(counts, options);
    const rows = shown.map(({ function: one, calls, instructions }) => [count(calls), count(instructions), one.name, placeOf(one.source, one.file.path)] as const);
    const widths = [0, 1, 2].map((i) => Math.max(['calls', 'instructions', 'function'][i]?.length ?? 0, ...rows.map((row) => row[i]?.length ?? 0)));
    const line = ([calls, instructions, name, place]: readonly [string, string, string, string]): string =>
      `${calls.padStart(widths[0] ?? 0)}  ${instructions.padStart(widths[1] ?? 0)}  ${name.padEnd(widths[2] ?? 0)}  ${place}`.trimEnd();
    out.line(line(['calls', 'instructions', 'function', 'where']));
    for (const row of rows) out.line(visibleLine(line(row)));
    const rest = counts.instructions - shown.reduce((sum, { instructions }) => sum + instructions, 0);
    if (rest > 0) out.line(`... and ${plural(rest, 'instruction')} of libraries${options.all === true ? ' and code without a name' : ' (--all)'}`);
  }

  private listing({ name, module, calls, instructions, copies, source, lines }: ListedFunction, isFirst: boolean): void {
    const { out } = this;
    if (!isFirst) out.line('');
    const what = lines.length === 0 ? '; no debug information says which lines it has' : '';
    const often = copies === undefined ? `${plural(calls, 'call')}, ${plural(instructions, 'instruction')}` : `inlined, ${plural(copies, 'copy', 'copies')}`;
    out.line(visibleLine(`${name} (${placeOf(source, module)}): ${often}${what}`));
    const text = source === undefined ? undefined : this.sources.lines(source.path);
    const width = Math.max(NEVER_RAN.length, ...lines.map((one) => countText(one.count).length));
    const numbers = String(lines.at(-1)?.line ?? 0).length;
    for (const { line, count: times } of lines) {
      const shown = `${countText(times).padStart(width)}  ${String(line).padStart(numbers)}  ${visibleLine(text?.[line - 1] ?? '')}`.trimEnd();
      out.line(times === 0 && this.isColoured ? `${RED}${shown}${PLAIN}` : shown);
    }
  }

  private json(listed: readonly ListedFunction[] | undefined): unknown {
    const { counts, options } = this;
    const { from, to } = options;
    const functions = listed ?? wanted(counts, options).map((one) => ({ ...listExecuted(one, counts), lines: undefined }));
    return {
      from, to, instructions: counts.instructions,
      functions: functions.map(({ name, module, calls, instructions, copies, isOwn, source, lines }) => ({
        name, module, file: source?.path, line: source?.line, calls, instructions, copies, own: isOwn, lines: lines?.filter((one) => one.count !== undefined),
      })),
    };
  }
}

function countText(times: number | undefined): string {
  return times === undefined ? NO_CODE : times === 0 ? NEVER_RAN : count(times);
}

function placeOf(source: { readonly path: string; readonly line: number } | undefined, module: string): string {
  const base = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
  return source === undefined ? base(module) : `${base(source.path)}:${source.line}`;
}
