/**
 * C-points: where the structure must hold. Places of the code are observed together with allocations (blocks.ts); what
 * they are called in reports is kept beside them.
 */
import { UserError } from '../../base/errors.js';
import { unlessCorrupt } from '../../dwarf/dwarfError.js';
import { scopesOfFunction } from '../../dwarf/breakpointPlaces.js';
import { statementRows } from '../../dwarf/statementRows.js';
import { findFunctions } from '../../dwarf/functionNames.js';
import type { ProgramView } from '../../debugger/program/programView.js';
import { placesIn } from '../../debugger/program/resolveLocation.js';
import type { SourceText } from '../../debugger/program/sourceText.js';
import { isUsers } from '../../flow/ownCode.js';
import type { CPoint } from '../model.js';
import { entriesOf } from './allocators.js';
import type { Passage } from './blocks.js';

/** When the structure must hold, as people say it. */
type PointPlace =
  | { readonly kind: 'entry' | 'exit'; readonly function: string }
  | { readonly kind: 'line'; readonly file: string; readonly line: number }
  | { readonly kind: 'every'; readonly operations: number }
  | { readonly kind: 'end' | 'crash' };

export interface AskedPoint {
  readonly types: readonly string[];
  readonly point: PointPlace;
}

/** Where a point is in the code. */
interface PlacedPoint {
  readonly types: readonly string[];
  readonly kind: Passage['kind'];
  readonly address: number;
  readonly what: string;
}

/** How the run ended: its last moment is a point, too. */
interface RunEnd {
  readonly time: number;
  readonly isCrash: boolean;
}

export class Points {
  private readonly placed: readonly PlacedPoint[];

  constructor(
    private readonly asked: readonly AskedPoint[],
    view: ProgramView,
  ) {
    this.placed = asked.flatMap(({ types, point }) => placesOf(point, view).map((place) => ({ types, ...place })));
  }

  /** Instructions that points are at. */
  get passes(): ReadonlySet<number> {
    return new Set(this.placed.filter(({ kind }) => kind === 'pass').map(({ address }) => address));
  }

  /** First instructions of functions that points are at the entry or exit of. */
  get functions(): ReadonlySet<number> {
    return new Set(this.placed.filter(({ kind }) => kind !== 'pass').map(({ address }) => address));
  }

  /** In the order of time. `timeOf`: when so many operations had been done. A crash is always a point. */
  times(passages: readonly Passage[], { time, isCrash }: RunEnd, operations: number, timeOf: (operation: number) => number): CPoint[] {
    const points: CPoint[] = passages.flatMap((passage) => this.placed.filter(({ kind, address }) => kind === passage.kind && address === passage.address)
      .map(({ types, what }) => ({ time: passage.time, types, what })));
    for (const { types, point } of this.asked) {
      if (point.kind === 'every') for (let done = point.operations; done <= operations; done += point.operations) points.push({ time: timeOf(done), types, what: `after ${done} operations` });
    }
    const asksForEnd = this.asked.filter(({ point: { kind } }) => kind === 'end' || kind === 'crash');
    const types = asksForEnd.length === 0 ? [] : asksForEnd.flatMap((one) => one.types);
    if (this.asked.length === 0 || asksForEnd.length > 0 || isCrash) points.push({ time, types, what: isCrash ? 'the crash' : 'the end' });
    return points.sort((a, b) => a.time - b.time);
  }
}

function placesOf(point: PointPlace, view: ProgramView): Omit<PlacedPoint, 'types'>[] {
  switch (point.kind) {
    case 'entry': case 'exit': {
      const { kind, function: name } = point;
      const entries = functionEntries(view, name);
      if (entries.length === 0) throw new UserError(`there is no function ${name} in the program: no C-point can be at its ${kind}`);
      return entries.map((address) => ({ kind, address, what: `the ${kind} of ${name}` }));
    }
    case 'line': {
      const { file, line } = point;
      const addresses = lineStarts(view, file, line);
      if (addresses.length === 0) throw new UserError(`there is no code at ${file}:${line}: no C-point can be there`);
      return addresses.map((address) => ({ kind: 'pass', address, what: `${file.replace(/^.*\//, '')}:${line}` }));
    }
    default: return [];
  }
}

/**
 * Wherever control comes to the line from another one: a debugger stops at one place of a function, but the end of a
 * function is come to from several.
 */
function lineStarts(view: ProgramView, file: string, line: number): number[] {
  const first = placesIn(`${file}:${line}`, view)[0];
  const { module, line: actual } = first ?? {};
  const info = module?.info;
  if (module === undefined || info === undefined) return [];
  const rows = unlessCorrupt(() => info.sources.find(file).flatMap(({ table, numbers }) => statementRows(table, new Set(numbers))
    .filter((row) => table.rows.lines[row] === actual).map((row) => table.rows.addresses[row] as number)), () => []);
  const starts = rows.filter((address) => module.file.lineRangeAt(address - 1)?.line !== actual);
  return [...new Set(starts)].map((address) => address + Number(module.bias));
}

/** Also of functions whose names are longer in the file, as in C++. */
function functionEntries(view: ProgramView, name: string): number[] {
  const described = view.modules.all.flatMap(({ info, bias }) => (info === undefined ? [] : unlessCorrupt(() => findFunctions(info, name).flatMap(scopesOfFunction)
    .filter(({ kind }) => kind === 'function').map(({ entry }) => entry + Number(bias)), () => [])));
  return [...new Set(described.length > 0 ? described : entriesOf(view, name))];
}

/** `##C-POINT(T)` in comments of the program's own sources: at the next line that has code. */
export function pointsInSources(view: ProgramView, sources: SourceText): AskedPoint[] {
  const paths = view.modules.all.flatMap((module) => {
    const { info } = module;
    if (info === undefined || !isUsers(view, module, undefined)) return [];
    return unlessCorrupt(() => info.sources.paths(), () => []).filter((path) => isUsers(view, module, path));
  });
  return [...new Set(paths)].flatMap((path) => (sources.lines(path) ?? []).flatMap((text, i) => {
    const found = /##\s*C-POINT\s*(?:\(([^()]*)\))?/.exec(text);
    if (found === null || lineStarts(view, path, i + 1).length === 0) return [];
    const types = (found[1] ?? '').split(',').map((name) => name.trim()).filter((name) => name !== '');
    return [{ types, point: { kind: 'line', file: path, line: i + 1 } as const }];
  }));
}
