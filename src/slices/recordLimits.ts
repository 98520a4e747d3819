/**
 * What slices look at: all of the run, or only what lies between the times at which some lines are reached, or the
 * calls of a function. What lies outside is cut away: it is no member, and what it wants is not followed.
 */
import { LineUnits, StatementUnits } from '../debugger/arrivals/units.js';
import { UserError } from '../base/errors.js';
import { guestAddr } from '../base/types.js';
import { InstanceCounter } from '../debugger/control/instanceCounter.js';
import { findInstance, observeAll } from '../debugger/control/instances.js';
import type { Statement } from '../debugger/program/statements.js';
import { parseStatement } from '../debugger/program/statementText.js';
import type { Position } from '../replay/log/position.js';
import type { Execution } from '../replay/timeline/execution.js';
import type { Work } from '../replay/timeline/work.js';
import type { SliceSubject } from './subject.js';

/** What the user said. */
export type RecordLimit =
  | { readonly kind: 'line'; readonly text: string; readonly statement: Statement; readonly instance: number | undefined; readonly isOn: boolean }
  | { readonly kind: 'function'; readonly text: string; readonly entries: readonly number[] };

interface Span {
  readonly from: number;
  readonly to: number;
}

const MOST_CALLS = 1000;

export async function lineLimit(subject: SliceSubject, text: string, isOn: boolean, work?: Work): Promise<RecordLimit> {
  const parsed = parseStatement(text);
  if (parsed === undefined) throw new UserError(`${text} is no line: write record FILE:LINE on, record FILE:LINE off, or record FUNCTION`);
  if ((parsed.instance ?? 1) < 1) throw new UserError('instances are counted from #1 on');
  const statement = await subject.named.statement(parsed, subject.instanceRun, { currentPath: subject.frame?.path, work });
  // One that never happened is refused now, not by the next slice.
  await findInstance(subject.instanceRun, statement, parsed.instance ?? 1, subject.position, work);
  return { kind: 'line', text, statement, instance: parsed.instance, isOn };
}

export function functionLimit({ backtrace }: SliceSubject, text: string): RecordLimit {
  const entries = (backtrace?.program.symbols.named(text) ?? []).filter(({ kind }) => kind === 'function').map(({ address }) => Number(address));
  if (entries.length === 0) throw new UserError(`there is no function ${text} here: write record FILE:LINE on, record FILE:LINE off, or record FUNCTION`);
  return { kind: 'function', text, entries };
}

/** Undefined: all times count. */
export async function lookedAt(subject: SliceSubject, limits: readonly RecordLimit[], work?: Work): Promise<((time: number) => boolean) | undefined> {
  if (limits.length === 0) return undefined;
  const lines = limits.filter((one) => one.kind === 'line');
  const functions = limits.filter((one) => one.kind === 'function');
  const spans: Span[] = [];
  if (functions.length > 0) spans.push(...(await callSpans(subject.execution, functions.flatMap(({ entries }) => entries), work)));
  const between = lines.length === 0 ? undefined : await lineSpans(subject, lines, work);
  const isIn = (list: readonly Span[], time: number): boolean => list.some(({ from, to }) => time >= from && time < to);
  return (time) => (functions.length === 0 || isIn(spans, time)) && (between === undefined || isIn(between, time));
}

/** Of lines that switch it on and off. If any switches it on, it is off before. */
async function lineSpans({ instanceRun: run }: SliceSubject, lines: readonly (RecordLimit & { readonly kind: 'line' })[], work: Work | undefined): Promise<Span[]> {
  const found: { readonly time: number; readonly isOn: boolean }[] = [];
  for (const { statement, instance, isOn } of lines) {
    const units = statement.part === undefined ? new LineUnits(run.statements) : new StatementUnits(run.statements);
    const before = found.length;
    const counter = new InstanceCounter({
      modules: run.modules, units, wanted: new Set([statement.unit]),
      onArrival: ({ number, time }) => {
        if (instance === undefined || number === instance) found.push({ time, isOn });
      },
    });
    await observeAll(run, counter, undefined, undefined, work);
    if (found.length === before) throw new UserError(`a line of "info record" was never reached${instance === undefined ? '' : ` so often`}: nothing would be looked at ("record all" looks at everything again)`);
  }
  const spans: Span[] = [];
  let from: number | undefined = lines.some(({ isOn }) => isOn) ? undefined : 0;
  for (const { time, isOn } of found.sort((a, b) => a.time - b.time)) {
    if (isOn) from ??= time;
    else if (from !== undefined) {
      spans.push({ from, to: time });
      from = undefined;
    }
  }
  if (from !== undefined) spans.push({ from, to: Infinity });
  return spans;
}

/** From the first instruction of each call to its return. */
async function callSpans(execution: Execution, entries: readonly number[], work: Work | undefined): Promise<Span[]> {
  const calls: { readonly position: Position; readonly task: number }[] = [];
  await execution.each([{ kind: 'address', addresses: entries.map((entry) => guestAddr(entry)) }], ({ position, task }) => {
    calls.push({ position, task });
    return calls.length > MOST_CALLS ? 'stop' : 'go on';
  }, undefined, undefined, work);
  if (calls.length > MOST_CALLS) throw new UserError(`more than ${MOST_CALLS} calls: say which part of the run to look at with record FILE:LINE on and off`);
  if (calls.length === 0) throw new UserError('the function of "info record" was never called: "record all" looks at everything again');
  const spans: (Span & { readonly task: number })[] = [];
  const home = execution.position;
  try {
    for (const { position, task } of calls) {
      if (spans.some((span) => span.task === task && position.time < span.to)) continue;
      await execution.seek(position, work);
      const { state } = execution;
      const stack = Number(state.register(task, 'rsp') ?? 0n);
      const bytes = state.read(task, guestAddr(stack), 8);
      if (bytes === null) continue;
      const returnsTo = Number(new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true));
      const hit = await execution.forward([{ kind: 'address', addresses: [guestAddr(returnsTo)] }], work, { accepts: (one, there) => one.task === task && Number(there.register(task, 'rsp') ?? 0n) > stack });
      spans.push({ from: position.time, to: hit?.position.time ?? Infinity, task });
    }
  } finally {
    await execution.seek(home, work);
  }
  return spans;
}
