/**
 * The thesis's `pathreport` (section 2.2.3, Figure 2.3): the text of a report, in which <path> marks what is about a
 * piece of code, <detour> a reference in it such as a call, with the <path> it leads to, and <marker> any other line.
 * The thesis leaves most attributes out; docs/paths.md has ours. Text around and inside of tags is kept with the ranges
 * that were marked. Each outermost <path> is a path of its own, unless it says that it continues the one before.
 */
import { UserError } from '../../base/errors.js';
import type { FlatReport } from '../model/flat.js';
import type { Importance, Path, PathReport, Segment, Step, Suppression } from '../model/path.js';
import { parseJson } from '../../base/json.js';
import { defined, limited, NO_FILES, positive, type Reading, type ReportInput, type ReportReader, textOf } from './reading.js';
import { fieldsOf } from './json/fields.js';
import { xmlEvents } from './xml/xmlReader.js';

export const PATHREPORT_READER: ReportReader = {
  name: 'pathreport',
  what: "the XML of Path Projection: text with <path>, <detour> and <marker>",
  accepts: (beginning) => /<(?:pathreports?|path)[\s/>]/.test(beginning),
  read: (input): Reading => ({ files: NO_FILES, reports: reportsIn(input) }),
};

type Attributes = ReadonlyMap<string, string>;

function* reportsIn(input: ReportInput): Generator<FlatReport> {
  let building: Building | undefined;
  const text = textOf(input);
  const isFragment = !/<pathreports?[\s>]/.test(text);
  if (isFragment) building = new Building(new Map(), input.name);
  for (const event of xmlEvents(text, input.name)) {
    if (event.kind === 'open' && event.name === 'pathreports') continue;
    if (event.kind === 'close' && event.name === 'pathreports') continue;
    if (event.kind === 'open' && event.name === 'pathreport') building = new Building(event.attributes, input.name);
    else if (event.kind === 'close' && event.name === 'pathreport') {
      if (building !== undefined) yield limited(building.report(), input.name);
      building = undefined;
    } else if (building === undefined) {
      if (event.kind !== 'text' || event.text.trim() !== '') throw new UserError(`${input.name}:${event.line}: this is outside of any <pathreport>`);
    } else if (event.kind === 'text') building.text(event.text);
    else if (event.kind === 'open') building.open(event.name, event.attributes, event.line);
    else building.close();
  }
  if (isFragment && building !== undefined) yield limited(building.report(), input.name);
}

interface OpenElement {
  readonly kind: 'path' | 'detour' | 'marker';
  /** The number of the range, and the number of the segment that it is in or is. */
  readonly range: number;
  readonly segment: number;
  readonly line: number;
  hasPath: boolean;
}

class Building {
  private whole = '';
  private readonly ranges: [number, number][] = [];
  private readonly paths: { readonly about: Omit<Path, 'segments'>; readonly segments: { function?: string; file?: string; steps: Step[] }[] }[] = [];
  private readonly elements: OpenElement[] = [];

  constructor(
    private readonly attributes: Attributes,
    private readonly name: string,
  ) {}

  text(text: string): void {
    this.whole += text;
  }

  open(name: string, attributes: Attributes, line: number): void {
    const around = this.elements.at(-1);
    const range = this.ranges.push([this.whole.length, this.whole.length]) - 1;
    if (name === 'path') this.elements.push({ kind: 'path', range, segment: this.openPath(attributes, around, line), line, hasPath: false });
    else if (name === 'detour' || name === 'marker') {
      if (around?.kind !== 'path') throw this.wrong(line, `a <${name}> belongs into a <path>`);
      this.segments()[around.segment]!.steps.push(stepOf(attributes));
      this.elements.push({ kind: name, range, segment: around.segment, line, hasPath: false });
    } else throw this.wrong(line, `<${name}> is not known; there are path, detour and marker`);
  }

  close(): void {
    const element = this.elements.pop()!;
    this.ranges[element.range]![1] = this.whole.length;
    if (element.kind === 'detour' && !element.hasPath) throw this.wrong(element.line, 'a <detour> has exactly one <path> in it, and this one has none');
  }

  report(): FlatReport {
    const { attributes, whole } = this;
    return defined<PathReport>({
      rule: attributes.get('rule'),
      level: levelOf(attributes.get('level')),
      message: attributes.get('message') ?? whole.trim().split('\n', 1)[0] ?? '',
      tool: attributes.get('tool'),
      paths: this.paths.map(({ about, segments }) => ({ ...about, segments })),
      suppressions: suppressionsOf(attributes.get('suppressions')),
      text: { whole, ranges: this.ranges },
    });
  }

  private openPath(attributes: Attributes, around: OpenElement | undefined, line: number): number {
    if (around !== undefined && around.kind !== 'detour') throw this.wrong(line, 'a <path> inside of another belongs into a <detour>');
    if (around?.hasPath === true) throw this.wrong(line, 'a <detour> has exactly one <path> in it, and this is the second');
    if (around === undefined && (attributes.get('continues') !== 'yes' || this.paths.length === 0)) this.paths.push({ about: aboutOf(attributes), segments: [] });
    const segments = this.segments();
    if (around !== undefined) {
      around.hasPath = true;
      const { steps } = segments[around.segment]!;
      steps[steps.length - 1] = { ...steps.at(-1)!, detour: segments.length };
    }
    // Where it is left out, as in the thesis, the code is in the file of the one that calls it.
    const file = attributes.get('file') ?? (around === undefined ? undefined : segments[around.segment]!.file);
    return segments.push(defined<Segment & { steps: Step[] }>({ function: attributes.get('name'), file: file === '' ? undefined : file, steps: [] })) - 1;
  }

  private segments(): { function?: string; file?: string; steps: Step[] }[] {
    return this.paths.at(-1)!.segments;
  }

  private wrong(line: number, what: string): UserError {
    return new UserError(`${this.name}:${line}: ${what}`);
  }
}

function aboutOf(attributes: Attributes): Omit<Path, 'segments'> {
  return defined<Omit<Path, 'segments'>>({ role: attributes.get('role') ?? 'path', title: attributes.get('title'), group: wholeNumber(attributes.get('group')), thread: attributes.get('thread') });
}

function stepOf(attributes: Attributes): Step {
  return defined<Step>({
    file: attributes.get('file'),
    line: positive(attributes.get('line')),
    column: positive(attributes.get('column')),
    endLine: positive(attributes.get('endline')),
    endColumn: positive(attributes.get('endcolumn')),
    why: attributes.get('why'),
    kinds: attributes.get('kinds')?.split(' ').filter((kind) => kind !== ''),
    importance: importanceOf(attributes.get('importance')),
    state: stateOf(attributes.get('state')),
    order: wholeNumber(attributes.get('order')),
    snippet: attributes.get('snippet'),
    module: attributes.get('module'),
    detour: undefined,
  });
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function importanceOf(text: string | undefined): Importance | undefined {
  return text === 'important' || text === 'essential' || text === 'unimportant' ? text : undefined;
}

function levelOf(text: string | undefined): PathReport['level'] {
  return text === 'error' || text === 'warning' || text === 'note' || text === 'none' ? text : undefined;
}

/** Written as JSON: names may have any characters. */
function stateOf(text: string | undefined): Step['state'] {
  const entries = Object.entries(fieldsOf(jsonOf(text))).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function suppressionsOf(text: string | undefined): readonly Suppression[] | undefined {
  const list = jsonOf(text);
  return Array.isArray(list) && list.length > 0 ? list.map(fieldsOf).flatMap(({ kind, status, justification }) => (kind === 'inSource' || kind === 'external'
    ? [defined<Suppression>({ kind, status: status === 'accepted' || status === 'underReview' || status === 'rejected' ? status : undefined, justification: typeof justification === 'string' ? justification : undefined })]
    : [])) : undefined;
}

function jsonOf(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : parseJson(text);
  } catch {
    return undefined;
  }
}
