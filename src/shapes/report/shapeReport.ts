/** What `culprit shape` has to say, as plain data: text, JSON and SARIF are made of it. */
import type { Work } from '../../replay/timeline/work.js';
import type { Inconsistency } from '../checking/checks.js';
import type { BoundSpecification } from '../checking/terms.js';
import { drawText } from '../explain/drawText.js';
import type { Picture } from '../explain/picture.js';
import type { GatheredHistory } from '../history/gather.js';
import type { NodeLife } from '../history/nodes.js';
import type { ShapedRun } from '../history/shapedRun.js';
import type { NodeId, Operation } from '../model.js';
import { type BrokenShape, examine } from './examine.js';
import { brokenPicture } from './pictures.js';
import { valueText } from './values.js';
import { Places, placeName, type ShapeFrame } from './places.js';

export interface ShapeStatement extends ShapeFrame {
  /** As lists name it. */
  readonly name: string;
  /** Of the last time that it did something to what is broken; how often it did. */
  readonly time: number;
  readonly thread: number;
  readonly times: number;
  readonly what: string;
  readonly stack: readonly ShapeFrame[];
}

export interface ShapeInconsistency {
  readonly constraint: string;
  readonly text: string;
  readonly message?: string;
  /** Names of nodes that it does not hold for. */
  readonly nodes: readonly string[];
}

export interface ShapeReport {
  readonly version: 1;
  readonly program: string;
  readonly specification: string;
  /** The file of the recording, if it stays. */
  readonly recording?: string;
  readonly verdict: 'broken' | 'sound';
  /** Where it is broken first. */
  readonly point?: { readonly what: string; readonly time: number };
  readonly inconsistencies: readonly ShapeInconsistency[];
  /** The last first. */
  readonly statements: readonly ShapeStatement[];
  /** The part that is broken, before and after the operation that broke it, as text. */
  readonly picture?: readonly string[];
  readonly nodes: number;
  readonly operations: number;
  readonly points: number;
  readonly remarks: readonly string[];
}

interface ReportSettings {
  readonly program: string;
  readonly specification: string;
  readonly recording?: string | undefined;
  /** Stacks cost a visit each. */
  readonly hasStacks: boolean;
}

/** Statements beyond these have no stack. */
const MOST_STACKS = 20;

export interface MadeReport {
  readonly report: ShapeReport;
  readonly broken: BrokenShape | undefined;
  /** Before and after; only with stacks. */
  readonly picture: Picture | undefined;
}

/** The execution moves. */
export async function reportOf(run: ShapedRun, bound: BoundSpecification, gathered: GatheredHistory, settings: ReportSettings, work?: Work): Promise<MadeReport> {
  const { operations, points, lives, remarks } = gathered;
  const { program, specification, recording } = settings;
  const broken = examine(bound, operations, points);
  const picture = broken === undefined || !settings.hasStacks ? undefined : brokenPicture(bound, operations, broken, lives);
  const report: ShapeReport = {
    version: 1, program, specification, ...(recording === undefined ? {} : { recording }),
    verdict: broken === undefined ? 'sound' : 'broken',
    ...(broken === undefined ? {} : { point: { what: broken.point.what, time: broken.point.time } }),
    inconsistencies: broken?.inconsistencies.map((one, i) => inconsistencyOf(one, lives, broken.messages[i])) ?? [],
    statements: broken === undefined ? [] : await statementsOf(run, lives, broken, settings, work),
    ...(picture === undefined ? {} : { picture: drawText(picture) }),
    nodes: lives.length, operations: operations.length, points: points.length, remarks,
  };
  return { report, broken, picture };
}

/** `message`: the constraint's own, with the values of then. */
export function inconsistencyOf({ constraint: { name, text }, nodes }: Inconsistency, lives: readonly NodeLife[], message: string | undefined): ShapeInconsistency {
  return { constraint: name, text, ...(message === undefined ? {} : { message }), nodes: nodes.map((node) => nodeName(lives, node)) };
}

async function statementsOf(run: ShapedRun, lives: readonly NodeLife[], { contributions }: BrokenShape, { hasStacks }: ReportSettings, work?: Work): Promise<ShapeStatement[]> {
  const places = new Places(run);
  const found = new Map<string, ShapeStatement & { times: number }>();
  for (const { operation } of contributions) {
    // A variable that is there from the beginning was made by no statement.
    if (operation.by.address === 0) continue;
    const place = await places.of(operation, work);
    const name = placeName(place);
    const known = found.get(name);
    if (known !== undefined) known.times++;
    else {
      const stack = hasStacks && found.size < MOST_STACKS ? await places.stack(operation, work) : [];
      found.set(name, { ...place, name, time: operation.time, thread: operation.by.thread, times: 1, what: whatOf(lives, operation), stack });
    }
  }
  return [...found.values()];
}

function whatOf(lives: readonly NodeLife[], operation: Operation): string {
  const name = nodeName(lives, operation.node);
  if (operation.kind !== 'written') return operation.kind === 'made' ? `${name} is made` : `${name} is gone`;
  const field = lives[operation.node]?.type.fields[operation.field - 1];
  return `${name}.${field?.name ?? operation.field}: ${valueText(operation.before, field?.kind)} -> ${valueText(operation.after, field?.kind)}`;
}

/** `node 0x4052a0`. */
function nodeName(lives: readonly NodeLife[], node: NodeId): string {
  const life = lives[node];
  return life === undefined ? `node ${node}` : `${life.type.name} 0x${life.address.toString(16)}`;
}
