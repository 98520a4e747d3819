/** What a specification asks of the program: its types, where their memory comes from, and when they must hold. */
import type { RuleProblem } from '../../rules/language/problems.js';
import type { Item } from '../language/ast.js';
import type { ShapeQuestion } from '../history/gather.js';
import { namesOfTypes } from '../checking/programNames.js';
import type { AskedPoint } from '../history/points.js';
import type { ToldSite } from '../history/siteTypes.js';
import { UserError } from '../../base/errors.js';

/** A specification that was read from a file. */
export interface ReadSpecification {
  /** Where it is. */
  readonly path: string;
  readonly items: readonly Item[];
  /** Says what else is found wrong with it. */
  fail(problems: readonly RuleProblem[]): never;
}

/** What the command line says beside it. */
export interface AskedBeside {
  readonly sites?: readonly ToldSite[];
  readonly allocators?: readonly string[];
  readonly points?: readonly AskedPoint[];
}

export function questionOf(items: readonly Item[], { sites = [], allocators = [], points = [] }: AskedBeside = {}): ShapeQuestion {
  const roots = items.flatMap((item) => (item.kind === 'root' ? [item.name] : []));
  return {
    types: [...namesOfTypes(items)].filter((name) => !roots.includes(name)),
    arrays: items.flatMap((item) => (item.kind === 'array' ? [item.type] : [])),
    aliases: new Map(items.flatMap((item) => (item.kind === 'type' ? [[item.type, item.program] as const] : []))),
    sites: [...sites, ...items.flatMap((item) => (item.kind === 'site' ? [toldSite(item.type, item.site)] : []))],
    allocators: [...allocators, ...items.flatMap((item) => (item.kind === 'allocator' ? [item.name] : []))],
    points: [...points, ...items.flatMap((item) => (item.kind === 'point' ? [{ types: item.types, point: item.point }] : []))],
    roots,
  };
}

/** `tree.c:19`. */
export function toldSite(type: string, place: string): ToldSite {
  const found = /^(.+):(\d+)$/.exec(place);
  if (found === null) throw new UserError(`${type}=${place}: not a file and a line; write ${type}=tree.c:19`);
  return { type, file: found[1] as string, line: Number(found[2]) };
}
