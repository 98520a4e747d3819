/**
 * Chains of several values as one tree, where they share links: of a block that is freed twice, both pointers come from
 * the same allocation, and the place where they part is the copy that should not have been made.
 */
import { placeText } from './copies/place.js';
import { linkText } from './chainText.js';
import type { DescribedChain, SourceLink } from './describe.js';

/** The root is the oldest part, children are what became of it. */
interface ChainTree {
  /** What all of `chains` have in common here, newest first. */
  readonly links: readonly SourceLink[];
  /** Numbers of the chains that go through it. */
  readonly chains: readonly number[];
  readonly children: readonly ChainTree[];
}

interface Rest {
  readonly chain: number;
  readonly links: readonly SourceLink[];
}

/** Chains that have nothing in common hang on a root without links. */
export function joinChains(chains: readonly DescribedChain[]): ChainTree {
  return joined(chains.map(({ links }, chain) => ({ chain, links })));
}

function joined(all: readonly Rest[]): ChainTree {
  const shared = sharedLength(all.map(({ links }) => links));
  const links = all[0]?.links ?? [];
  const own = links.slice(links.length - shared);
  const rests = all.map(({ chain, links: list }) => ({ chain, links: list.slice(0, list.length - shared) })).filter((rest) => rest.links.length > 0);
  const groups = new Map<string, Rest[]>();
  for (const rest of rests) {
    const key = keyOf(rest.links.at(-1) as SourceLink);
    groups.set(key, [...(groups.get(key) ?? []), rest]);
  }
  return { links: own, chains: all.map(({ chain }) => chain), children: [...groups.values()].map(joined) };
}

/** How many links the lists have in common at their ends. */
function sharedLength(lists: readonly (readonly SourceLink[])[]): number {
  const [first = [], ...others] = lists;
  let length = 0;
  for (;;) {
    const link = first.at(-1 - length);
    if (link === undefined || others.some((list) => isOther(list.at(-1 - length), link))) return length;
    length++;
  }
}

function isOther(a: SourceLink | undefined, b: SourceLink): boolean {
  return a === undefined || keyOf(a) !== keyOf(b);
}

/** The same instruction that put the value into the same place. */
function keyOf({ time, thread, kind, links }: SourceLink): string {
  const place = links[0]?.place;
  return `${time} ${thread} ${kind} ${place === undefined ? '' : placeText(place)}`;
}

/** Source lines of all chains together: what they share is read once. */
export function stepsOf({ links, children }: ChainTree): number {
  return children.reduce((sum, child) => sum + stepsOf(child), links.length);
}

/** Each chain's own part, newest first, then what they have in common. `names` are those of the values. */
export function treeText(tree: ChainTree, names: readonly string[]): string[] {
  if (tree.children.length === 0) return [...heading(tree, names), ...partText(tree.links)];
  const parts = tree.children.flatMap((child) => treeText(child, names));
  return [...parts, ...(tree.links.length === 0 ? [] : [...heading(tree, names), ...partText(tree.links)])];
}

function heading({ chains }: ChainTree, names: readonly string[]): string[] {
  const list = chains.map((chain) => names[chain] ?? `value ${chain + 1}`);
  return [list.length === 1 ? `${list[0]}:` : `${list.slice(0, -1).join(', ')} and ${list.at(-1)}, from here on the same:`];
}

function partText(links: readonly SourceLink[]): string[] {
  return links.flatMap((link, i) => linkText(link, i, links[i + 1]));
}
