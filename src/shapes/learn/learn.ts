/**
 * Proposes constraints of a type: those of `candidates.ts` that held at every C-point of every run, strongest first,
 * with how often each was tested. A candidate that is refuted once is never tested again, so that the many that do not
 * hold cost little. It is a proposal: what held may have held by chance, and the user keeps what they mean.
 */
import { bindShapes } from '../checking/bind.js';
import { ShapeChecker } from '../checking/shapeChecker.js';
import { parseShapes } from '../language/parser.js';
import type { CPoint, History, ProgramTypes, ShapeType } from '../model.js';
import { candidatesFor, type Candidate } from './candidates.js';

export interface LearnedRun {
  readonly history: History;
  /** In the order of time. */
  readonly points: readonly CPoint[];
}

interface Proposal {
  /** As it stands in a `.shape` file. */
  readonly text: string;
  /** For so many nodes it said something that held, over all C-points. */
  readonly tested: number;
}

/** At so many C-points of a run everything is counted; at the others only what changed is checked. */
const COUNTED = 12;
const ENOUGH = 100_000;

export function learnConstraints(types: readonly ShapeType[], runs: readonly LearnedRun[]): Proposal[] {
  const program = programOf(types);
  let alive = types.flatMap((type) => candidatesFor(type, fewValues(type, runs[0]))).map((candidate) => ({ candidate, tested: 0 }));
  for (const run of runs) alive = survivors(alive, run, program);
  const held = alive.filter(({ candidate, tested }) => tested >= candidate.least);
  const implied = new Set(held.flatMap(({ candidate }) => candidate.implies));
  return held
    .filter(({ candidate }) => !implied.has(candidate.text))
    .sort((a, b) => b.candidate.weight - a.candidate.weight || b.tested - a.tested)
    .map(({ candidate: { text }, tested }) => ({ text, tested }));
}

/** Values of fields that have at most three of them, in the first run. */
function fewValues(type: ShapeType, run: LearnedRun | undefined): Map<number, number[]> {
  const seen = new Map<number, Set<number | bigint>>(type.fields.map(({ index }) => [index, new Set()]));
  const ofType = new Set<number>();
  const note = (field: number, value: number | bigint) => {
    const values = seen.get(field);
    if (values === undefined || values.size > 3) return;
    values.add(value);
  };
  for (let i = 0; i < (run?.history.length ?? 0); i++) {
    const operation = run!.history.at(i);
    if (operation.kind === 'made' && operation.type.name === type.name) {
      ofType.add(operation.node);
      operation.values.forEach((value, field) => note(field + 1, value));
    } else if (operation.kind === 'written' && ofType.has(operation.node)) note(operation.field, operation.after);
  }
  return new Map([...seen].filter(([, values]) => values.size <= 3).map(([field, values]) => [field, [...values].flatMap((value) => (typeof value === 'number' && Number.isInteger(value) ? [value] : []))]));
}

interface Alive {
  readonly candidate: Candidate;
  readonly tested: number;
}

function survivors(candidates: readonly Alive[], { history, points }: LearnedRun, program: ProgramTypes): Alive[] {
  const counted = countedPoints(points.length);
  const known = tallied(candidates, history, points, counted, program);
  // What held where it was counted is checked at all other points, too.
  const checker = checkerFor(known, program);
  const refuted = new Set<number>();
  let applied = 0;
  for (const point of points) {
    for (; applied < history.length && history.at(applied).time < point.time; applied++) checker.apply(history.at(applied));
    for (const { constraint } of checker.inconsistencies().values()) refuted.add(constraint.index);
  }
  return known.filter((_, i) => !refuted.has(i));
}

function countedPoints(points: number): Set<number> {
  const step = Math.max(1, (points - 1) / (COUNTED - 1));
  return new Set(Array.from({ length: Math.min(points, COUNTED) }, (_, i) => Math.min(points - 1, Math.round(i * step))));
}

function tallied(candidates: readonly Alive[], history: History, points: readonly CPoint[], counted: ReadonlySet<number>, program: ProgramTypes): Alive[] {
  const checker = checkerFor(candidates, program);
  const tested = candidates.map((each) => each.tested);
  const refuted = new Set<number>();
  let applied = 0;
  points.forEach((point, i) => {
    for (; applied < history.length && history.at(applied).time < point.time; applied++) checker.graph.apply(history.at(applied));
    if (!counted.has(i)) return;
    checker.evaluator.attributes.forgetAll();
    checker.checks.forEach((check, index) => {
      if (refuted.has(index)) return;
      const tally = check.tally(ENOUGH);
      if (!tally.holds) refuted.add(index);
      tested[index]! += tally.tested;
    });
  });
  return candidates.map(({ candidate }, i) => ({ candidate, tested: tested[i]! })).filter((_, i) => !refuted.has(i));
}

function checkerFor(candidates: readonly Alive[], program: ProgramTypes): ShapeChecker {
  const items = candidates.flatMap(({ candidate }) => parseShapes(candidate.text, 'learned').file.items);
  return new ShapeChecker(bindShapes(items, program).specification);
}

function programOf(types: readonly ShapeType[]): ProgramTypes {
  return { type: (name) => types.find((type) => type.name === name), constant: () => undefined, offsetOf: () => undefined };
}
