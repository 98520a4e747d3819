/** Ways through the segments and steps of a path, none of which needs a stack as deep as the path. */
import type { Path, Segment, Step } from './path.js';

/** A segment, or a step of one, where it comes in the order of the path: a detour before its segment. */
export type PathNode =
  | { readonly kind: 'segment'; readonly number: number; readonly segment: Segment; readonly depth: number }
  | { readonly kind: 'step'; readonly step: Step; readonly segment: Segment; readonly depth: number }
  | { readonly kind: 'end'; readonly of: 'segment' | 'detour' };

interface Open {
  readonly segment: Segment;
  next: number;
}

/** Everything in a path in its order, with the ends of segments and detours. */
export function* nodesOf({ segments }: Path): Generator<PathNode> {
  for (const root of rootsOf(segments)) {
    const stack: Open[] = [];
    const enter = (number: number): PathNode => {
      const segment = segments[number]!;
      stack.push({ segment, next: 0 });
      return { kind: 'segment', number, segment, depth: stack.length - 1 };
    };
    yield enter(root);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const step = top.segment.steps[top.next++];
      if (step === undefined) {
        stack.pop();
        yield { kind: 'end', of: 'segment' };
        if (stack.length > 0) yield { kind: 'end', of: 'detour' };
        continue;
      }
      yield { kind: 'step', step, segment: top.segment, depth: stack.length - 1 };
      if (step.detour !== undefined) yield enter(step.detour);
    }
  }
}

/** Segments that no detour leads to. */
function rootsOf(segments: readonly Segment[]): number[] {
  const called = new Set<number>();
  for (const { steps } of segments) for (const { detour } of steps) if (detour !== undefined) called.add(detour);
  return segments.map((_, i) => i).filter((i) => !called.has(i));
}
