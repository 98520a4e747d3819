/**
 * What one instance of a line depends on directly: a walk whose members want nothing but the instance's own. Each
 * dependence is an instance itself, so that one can go there.
 */
import { instanceNumbers } from '../debugger/control/instances.js';
import type { Statement } from '../debugger/program/statements.js';
import { at } from '../replay/log/position.js';
import type { Work } from '../replay/timeline/work.js';
import type { Seeds, WalkOptions } from './walkOptions.js';
import { CRITERION, crashQuestion, hasCrashed, instancesCriterion, linePredicate, type SliceQuestion } from './criteria.js';
import { type EdgeKind, type SliceEdge, SliceGraph } from './graph.js';
import { arrivalsOf } from './memberArrivals.js';
import { placeNames } from './placeNames.js';
import { dueTo } from './edgeText.js';
import type { SlicePlace } from './slice.js';
import type { Slices } from './slices.js';
import { standingStretch } from './standingInstance.js';
import type { SliceSubject } from './subject.js';
import type { CodeInstruction } from './trace/codeTable.js';

interface Dependence extends SlicePlace {
  readonly kind: EdgeKind;
  /** Which arrival at the line; undefined without debug information. */
  readonly number: number | undefined;
  /** Of data: the variable, register or address. */
  readonly due: string | undefined;
  /** When the instance began. */
  readonly time: number;
}

export interface Dependences {
  readonly statement: Statement;
  readonly number: number;
  /** Newest first. */
  readonly all: readonly Dependence[];
}

export async function dependencesAt(subject: SliceSubject, slices: Slices, work?: Work): Promise<Dependences> {
  const { statement, number, thread, start, end } = await standingStretch(subject, work);
  const isOf = await linePredicate(subject, statement, thread, start);
  const crash = hasCrashed(subject) && subject.position.time >= start.time ? await crashQuestion(subject, work) : undefined;
  const range = { from: start.time, to: Math.max(end.time, start.time + (crash === undefined ? 1 : 0)) };
  const own = withoutRestores(instancesCriterion('', thread, range, isOf));
  const question = crash === undefined ? own : withCrash(own, crash, subject.position.time);
  const isCalledThere = ({ address }: CodeInstruction, time: number): boolean => time >= range.from && time < question.to.time && isOf(address);
  const { edges, instanceOf, instructionOf } = await firstLevel(slices, question, thread, isCalledThere, work);
  const found = await located(subject, slices, edges, instanceOf, instructionOf, work);
  return { statement, number, all: found.filter((one) => one.path !== statement.path || one.line !== statement.line || one.number !== number) };
}

/** Registers that a function gives back to its caller are nothing that its last line is about. */
function withoutRestores(own: SliceQuestion): SliceQuestion {
  const { isSeed, ...range } = own.seeds as Seeds;
  return { ...own, seeds: { ...range, isSeed: (time, instruction, thread) => instruction.frame.kind !== 'restore' && isSeed(time, instruction, thread) } };
}

/** The instruction that could not be executed is no instance, but belongs to the line; so does what sent a signal. */
function withCrash(own: SliceQuestion, crash: SliceQuestion, time: number): SliceQuestion {
  const seeds = own.seeds as Seeds;
  return {
    ...own, to: at(time),
    begin: (walk, spaceOf) => crash.begin(walk, spaceOf),
    seeds: { from: seeds.from, to: Math.max(seeds.to, crash.seeds?.to ?? 0), isSeed: (...instance) => seeds.isSeed(...instance) || crash.seeds?.isSeed(...instance) === true },
  };
}

interface FirstLevel {
  readonly edges: readonly SliceEdge[];
  /** The time of a node. */
  readonly instanceOf: (node: number) => number;
  /** Its instruction, or the one of the user's own that had called the library. */
  readonly instructionOf: (node: number) => CodeInstruction;
}

/** `isCalledThere`: whether what a library did at a time, called from an instruction, is part of the instance. */
async function firstLevel(slices: Slices, question: SliceQuestion, thread: number, isCalledThere: (site: CodeInstruction, time: number) => boolean, work: Work | undefined): Promise<FirstLevel> {
  const { slicer } = slices;
  const { seeds } = question;
  // One for each other instance, and one for each instruction of those that are asked about.
  const nodes = new Map<number, number>();
  const own = new Map<number, number>();
  const met: { readonly time: number; readonly instruction: CodeInstruction }[] = [];
  // As in filters.ts: what a walk asks for an instance comes in this order.
  let [isOwn, isOwnNow] = [false, false];
  const options: WalkOptions = {
    frames: false,
    get control() {
      isOwnNow = isOwn;
      return isOwn;
    },
    get data() {
      return isOwnNow;
    },
    isWatched: (one) => slicer.programs.isOfProgram(one),
    nodeOf: (instruction, site, time) => {
      const called = site < 0 ? undefined : (slicer.programs.table.instructions[site] as CodeInstruction);
      isOwn = seeds?.isSeed(time, instruction, thread) === true || (called !== undefined && isCalledThere(called, time));
      const [kind, key] = isOwn ? [own, instruction.id] : [nodes, time];
      let known = kind.get(key);
      if (known === undefined) {
        kind.set(key, (known = nodes.size + own.size));
        if (!isOwn) met[known] = { time, instruction: called ?? instruction };
      }
      return known;
    },
  };
  const { graph } = await slicer.slice(question, options, work, (wanters) => new SliceGraph(wanters));
  const edges = graph.edges.filter(({ from, to }) => (from === CRITERION || met[from] === undefined) && met[to] !== undefined);
  return { edges, instanceOf: (node) => met[node]?.time ?? 0, instructionOf: (node) => met[node]?.instruction as CodeInstruction };
}

async function located(subject: SliceSubject, { slicer: { programs } }: Slices, edges: readonly SliceEdge[], instanceOf: FirstLevel['instanceOf'], instructionOf: FirstLevel['instructionOf'], work: Work | undefined): Promise<Dependence[]> {
  const { statements } = subject.named;
  // What libraries did before they were called by anyone is as it was at the start.
  const isOwnTarget = ({ to }: SliceEdge): boolean => programs.ownerOf(instructionOf(to)).isOwnAt(instructionOf(to).address);
  const targets = edges.filter(isOwnTarget).map((edge) => {
    const instruction = instructionOf(edge.to);
    const place = programs.ownerOf(instruction).placeAt(instruction.address);
    return { edge, place, time: instanceOf(edge.to), statement: place.path === undefined ? undefined : statements.wholeLine(place.path, place.line) };
  });
  const lined = targets.flatMap(({ statement, time }) => (statement === undefined ? [] : [{ statement, time }]));
  const numbers = lined.length === 0 ? [] : await instanceNumbers(subject.instanceRun, lined, work);
  const arrivals = await arrivalsOf(subject, lined.map(({ statement }, i) => ({ statement, number: numbers[i] as number })), work);
  const begins = new Map(arrivals.map(({ unit, number, time }) => [`${unit}#${number}`, time]));
  const nameOf = await placeNames(subject, targets.map(({ edge }) => edge), work);
  const found = new Map<string, Dependence>();
  let next = 0;
  for (const { edge, place, time, statement } of targets) {
    const number = statement === undefined ? undefined : (numbers[next++] as number);
    const due = dueTo(edge, nameOf);
    const key = `${edge.kind} ${place.path}:${place.line}#${number ?? time} ${due}`;
    if (!found.has(key)) found.set(key, { ...place, kind: edge.kind, number, due, time: begins.get(`${statement?.unit}#${number}`) ?? time });
  }
  return [...found.values()].sort((a, b) => b.time - a.time || (a.kind < b.kind ? 1 : -1));
}
