/**
 * A path as one piece of code (Figure 2.2 of the thesis): the lines of each segment in the order of the source, folded,
 * and below the line of each call the code that is called. What repeats itself is shown once: calls in a loop that go
 * the same way, and levels of a recursion that do. Nothing here needs a stack as deep as the path.
 */
import type { Path, Segment, Step } from '../model/path.js';
import type { CodeBase } from './codeBase.js';
import { type Attached, type SegmentView, segmentView } from './segmentView.js';

export type ProjectionEvent =
  | { readonly kind: 'enter'; readonly view: SegmentView }
  | { readonly kind: 'line'; readonly view: SegmentView; readonly number: number; readonly code: string; readonly steps: readonly Step[] }
  | { readonly kind: 'missing'; readonly view: SegmentView; readonly step: Step; readonly reason: string }
  | { readonly kind: 'alike'; readonly what: 'calls' | 'levels'; readonly count: number }
  | { readonly kind: 'leave' };

interface Projection {
  /** Steps of the path: each is shown, or named as missing. */
  readonly shown: number;
  readonly missing: number;
  events(): Generator<ProjectionEvent>;
}

/** As many that are alike are shown one by one. */
const MOST_ALIKE = 2;
/** Functions that call each other in turns, of a recursion that is recognised. */
const MOST_IN_TURNS = 8;

export function projected(path: Path, base: CodeBase): Projection {
  const segments = withoutForeignSteps(path.segments);
  const order = preorder(segments);
  const views = segments.map((segment) => segmentView(segment, base));
  return {
    shown: views.reduce((sum, { steps }) => sum + steps.shown, 0),
    missing: views.reduce((sum, { steps }) => sum + steps.missing, 0),
    events: () => new Drawing(views, new Shapes(views, order)).events(order.roots),
  };
}

/** Steps in another file than their segment's, as macros have them, become segments of their own. */
function withoutForeignSteps(segments: readonly Segment[]): Segment[] {
  const result: { function?: string; file?: string; steps: Step[] }[] = segments.map((segment) => ({ ...segment, steps: [] }));
  segments.forEach(({ file, steps }, number) => {
    let foreign: (typeof result)[number] | undefined;
    for (const step of steps) {
      const own = result[number]!;
      if (step.file === undefined || step.file === file) {
        foreign = undefined;
        own.steps.push(step);
        continue;
      }
      const { file: other, ...rest } = step;
      if (foreign?.file !== other) {
        foreign = { file: other, steps: [] };
        own.steps.push({ detour: result.length });
        result.push(foreign);
      }
      foreign!.steps.push(rest);
    }
  });
  return result;
}

interface Order {
  readonly roots: readonly number[];
  /** Callers before what they call. */
  readonly all: readonly number[];
}

function preorder(segments: readonly Segment[]): Order {
  const called = new Set(segments.flatMap(({ steps }) => steps.flatMap(({ detour }) => detour ?? [])));
  const roots = segments.map((_, i) => i).filter((i) => !called.has(i));
  const all: number[] = [];
  const waiting = roots.toReversed();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    all.push(next);
    for (const { detour } of segments[next]!.steps.toReversed()) if (detour !== undefined) waiting.push(detour);
  }
  return { roots, all };
}

/** Which segments look alike: by themselves, and with all that they call. */
class Shapes {
  readonly own: number[] = [];
  readonly whole: number[] = [];
  private readonly numbers = new Map<string, number>();

  constructor(views: readonly SegmentView[], { all }: Order) {
    for (const i of all.toReversed()) {
      const { file, function: name, lines, after } = views[i]!;
      const attached = [...after].map(([line, list]) => `${line}:${list.map((one) => (one.kind === 'detour' ? '>' : missingKey(one))).join(',')}`).join(';');
      this.own[i] = this.numberOf(JSON.stringify([file, name, lines, attached]));
      const called = [...after.values()].flat().flatMap((one) => (one.kind === 'detour' ? [this.whole[one.segment]] : []));
      this.whole[i] = this.numberOf(`${this.own[i]}(${called.join(',')})`);
    }
  }

  private numberOf(key: string): number {
    let number = this.numbers.get(key);
    if (number === undefined) this.numbers.set(key, (number = this.numbers.size));
    return number;
  }
}

function missingKey({ step, reason }: Attached & { readonly kind: 'missing' }): string {
  return `${step.line ?? ''} ${reason}`;
}

class Drawing {
  /** The segments that are being drawn, each called by the one before. */
  private readonly trail: number[] = [];

  constructor(
    private readonly views: readonly SegmentView[],
    private readonly shapes: Shapes,
  ) {}

  *events(roots: readonly number[]): Generator<ProjectionEvent> {
    for (const root of roots) {
      const open: Iterator<ProjectionEvent | number>[] = [];
      const enter = (number: number): void => {
        open.push(this.segment(number));
        this.trail.push(number);
      };
      enter(root);
      for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
        const { value, done } = top.next();
        if (done === true) {
          open.pop();
          this.trail.pop();
        } else if (typeof value === 'number') enter(value);
        else yield value;
      }
    }
  }

  /** The events of one segment; a number stands for another segment that is drawn there. */
  private *segment(number: number): Generator<ProjectionEvent | number> {
    const view = this.views[number]!;
    yield { kind: 'enter', view };
    yield* this.attached(number, 0);
    for (const line of view.lines) {
      yield { kind: 'line', view, number: line, code: view.code[line - 1]!, steps: view.stepsAt.get(line) ?? [] };
      yield* this.attached(number, line);
    }
    yield { kind: 'leave' };
  }

  private *attached(number: number, line: number): Generator<ProjectionEvent | number> {
    const view = this.views[number]!;
    const list = view.after.get(line);
    if (list === undefined) return;
    const counts = new Map<number, number>();
    for (const one of list) if (one.kind === 'detour') counts.set(this.shapes.whole[one.segment]!, (counts.get(this.shapes.whole[one.segment]!) ?? 0) + 1);
    const drawn = new Set<number>();
    for (const one of list) {
      if (one.kind === 'missing') {
        yield { kind: 'missing', view, step: one.step, reason: one.reason };
        continue;
      }
      const shape = this.shapes.whole[one.segment]!;
      const count = counts.get(shape)!;
      if (drawn.has(shape) && count > MOST_ALIKE) continue;
      yield* this.called(one.segment);
      if (!drawn.has(shape) && count > MOST_ALIKE) yield { kind: 'alike', what: 'calls', count: count - 1 };
      drawn.add(shape);
    }
  }

  /** A call, or what comes of a recursion after the levels that look like those above. */
  private *called(first: number): Generator<ProjectionEvent | number> {
    for (let turns = 1; turns <= Math.min(MOST_IN_TURNS, this.trail.length); turns++) {
      const levels = this.levelsAlike(first, turns);
      if (levels <= MOST_ALIKE * turns) continue;
      yield { kind: 'alike', what: 'levels', count: levels };
      let at = first;
      for (let i = 0; i < levels; i++) at = this.onlyCall(at)!;
      yield at;
      return;
    }
    yield first;
  }

  /** How many levels from here on look like the last ones that were drawn, over and over, in whole rounds. */
  private levelsAlike(first: number, turns: number): number {
    const round = this.trail.slice(-turns).map((number) => this.shapes.own[number]);
    let [at, levels] = [first as number | undefined, 0];
    while (at !== undefined && this.shapes.own[at] === round[levels % turns]) {
      const inner = this.onlyCall(at);
      if (inner === undefined) break;
      levels++;
      at = inner;
    }
    return levels - (levels % turns);
  }

  private onlyCall(number: number): number | undefined {
    const calls = [...this.views[number]!.after.values()].flat().flatMap((one) => (one.kind === 'detour' ? [one.segment] : []));
    return calls.length === 1 ? calls[0] : undefined;
  }
}
