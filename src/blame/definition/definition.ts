/**
 * The statement instance that originally defined a value which turned out to be corrupt (Figure 3, lines 6 to 8 of the
 * paper). Copies are passed by, as long as they hand a value on as it was meant. Bytes that came from outside (input,
 * the program's file) were never meant as a pointer: there it is the copy that put them where one belongs.
 */
import type { Chain, Link, ValueFlow } from '../../flow/chain.js';
import { contextOf, viewOf } from '../../flow/ownCode.js';
import type { Position } from '../../replay/log/position.js';
import type { Work } from '../../replay/timeline/work.js';
import type { BlamedFrame } from '../blameReport.js';
import { placeOf, stackOf } from '../frames.js';
import { restOfCall } from './copyingCall.js';
import { danglingRead } from './danglingRead.js';
import { overPointer } from './overwritten.js';
import { isPiece, isWider, type Pieces, piecesOf } from './pieces.js';
import { blockAt, evaluationAt, Leaves, sourcesOf, statementAt } from '../failure/leaves.js';
import type { Suspect } from '../failure/suspects.js';
import type { OpDef } from '../../ir/opDef.js';
import { OPS } from '../../ir/ops.js';

export interface Definition {
  readonly suspect: Suspect;
  readonly position: Position;
  readonly thread: number;
  readonly link: Link;
  readonly chain: Chain;
  readonly place: BlamedFrame;
  readonly stack: readonly BlamedFrame[];
  /** The library function that did it, called by the statement. */
  readonly called: string | undefined;
  /** The allocator wrote it itself: its bookkeeping is as it left it. */
  readonly isHeaps: boolean;
  /** Whether it was a copy of bytes that were never meant as such a value. */
  readonly isForeign: boolean;
  /** It was written in pieces: all of them. */
  readonly pieces?: Pieces;
}

/** Says of a line that it is known to be wrong: no copy there is passed by. */
export type IsKnown = (place: BlamedFrame) => boolean;

/** Functions that copy text: what they write is no pointer. */
const TEXT = /^(str(n|l)?c(py|at)|stp(n)?cpy|v?sn?printf|gets|fgets|getline|getdelim|scanf|fscanf|sscanf|realpath|getcwd|wcs\w*|strdup|memccpy)$/;
const COPYING = /^(mem(p)?cpy|memmove|bcopy|memset|bzero|fread|read|recv|recvfrom|pread|pread64)$/;
/** What these write over is no pointer and no index any more, unless it is zero. */
const FILLING = /^(memset|bzero|explicit_bzero)$/;
const RAW: ReadonlySet<Link['kind']> = new Set<Link['kind']>(['syscall', 'kernel', 'initial', 'start', 'lost']);
/** Addresses of addresses that are looked for. */
const DEEPEST = 3;

/** Undefined if nothing ever defined it, nor its address. The execution moves. */
export async function definitionOf(flow: ValueFlow, suspect: Suspect, isKnown: IsKnown, work?: Work, depth = 0): Promise<Definition | undefined> {
  const { position, thread, place, role } = suspect;
  const chain = await flow.origin(position, thread, place, { work, isPointer: role !== 'index' && role !== 'checked' && role !== 'divisor' });
  const known = await knownLink(flow, chain, isKnown, work);
  const dangling = known === undefined ? await danglingRead(flow, suspect, chain, work) : undefined;
  const inPieces = known === undefined && dangling === undefined ? await piecesIn(flow, chain, work) : undefined;
  const made = known ?? dangling ?? inPieces?.first ?? (await chosenLink(flow, chain, work));
  const received = made === undefined ? undefined : await receivedAt(flow, chain, made, work);
  const pieces = inPieces ?? (received === undefined || received === dangling ? undefined : await restOfCall(flow, received, work));
  const chosen = pieces?.first ?? received;
  if (chosen === undefined) return depth < DEEPEST ? definitionOfAddress(flow, suspect, chain, isKnown, work, depth) : undefined;
  await flow.execution.seek(chosen.position, work);
  const view = viewOf(flow.execution.state, chosen.thread, flow.modules);
  if (view === undefined) return undefined;
  const { isInHeap } = contextOf(view);
  // What the allocator left in a block is no definition of what the program finds there.
  if (isInHeap && role !== 'checked' && role !== 'freed' && chosen.place.kind === 'memory' && depth < DEEPEST) {
    const ofAddress = await definitionOfAddress(flow, suspect, chain, isKnown, work, depth);
    if (ofAddress !== undefined) return ofAddress;
  }
  const definition = await definitionAt(flow, { suspect, chain, isForeign: made !== chain.links.at(-1) }, chosen, work);
  return definition && (pieces === undefined ? definition : { ...definition, pieces });
}

/** The definition that a link is. */
export async function definitionAt(flow: ValueFlow, { suspect, chain, isForeign }: Pick<Definition, 'suspect' | 'chain' | 'isForeign'>, link: Link, work?: Work): Promise<Definition | undefined> {
  const { position, thread } = link;
  await flow.execution.seek(position, work);
  const view = viewOf(flow.execution.state, thread, flow.modules);
  if (view === undefined) return undefined;
  const { called, isInHeap } = contextOf(view);
  return { suspect, chain, link, position, thread, place: placeOf(view), stack: stackOf(view), called, isHeaps: isInHeap, isForeign };
}

/** The newest copy at a line that is known to be wrong. */
async function knownLink(flow: ValueFlow, { links }: Chain, isKnown: IsKnown, work: Work | undefined): Promise<Link | undefined> {
  for (const link of links) {
    if (link.rip === 0 || link.place.kind !== 'memory') continue;
    await flow.execution.seek(link.position, work);
    const view = viewOf(flow.execution.state, link.thread, flow.modules);
    if (view !== undefined && isKnown(placeOf(view))) return link;
  }
  return undefined;
}

/** Of a value that was overwritten piece by piece. */
async function piecesIn(flow: ValueFlow, { links }: Chain, work: Work | undefined): Promise<Pieces | undefined> {
  for (const link of links) if (await isPiece(flow, link, work)) return piecesOf(flow, link, work);
  return undefined;
}

/** Undefined: nothing defined it. */
async function chosenLink(flow: ValueFlow, chain: Chain, work: Work | undefined): Promise<Link | undefined> {
  const { links } = chain;
  const last = links.at(-1);
  if (last === undefined) return undefined;
  const isText = last.kind === 'constant' && last.place.kind === 'memory' && flow.isConstant(last.place.address, last.thread) && last.place.size > 1 && links.length > 1;
  const isFilling = last.called !== undefined && FILLING.test(last.called) && last.value !== 0n;
  if (!RAW.has(last.kind) && !isText && !isFilling && !looksLikeText(last.value)) return last;
  // A loop over characters is what a function that copies text is.
  const byText = links.find(({ called, place, isInPieces }) => place.kind === 'memory' && (isInPieces === true || (called !== undefined && TEXT.test(called))));
  if (byText !== undefined) return byText;
  if (last.kind === 'syscall' || last.kind === 'kernel') return last;
  const overwriting = await overPointer(flow, chain, work);
  if (overwriting !== undefined) return overwriting;
  for (const link of links.slice(0, -1)) if (await isWider(flow, link, work)) return link;
  const copied = links.find(({ called, place }) => place.kind === 'memory' && called !== undefined && COPYING.test(called));
  if (copied !== undefined) return copied;
  return RAW.has(last.kind) ? undefined : last;
}

/** Characters that can be seen, three of them or more, and nothing behind them. */
function looksLikeText(value: bigint): boolean {
  const bytes = value.toString(16).padStart(16, '0').match(/../g) ?? [];
  const characters = bytes.map((byte) => String.fromCharCode(Number.parseInt(byte, 16))).reverse().join('');
  return /^[ -~]{3,}\0*$/.test(characters);
}

/** What a function of the program's own computed and gave back is defined by the statement that called it. */
async function receivedAt(flow: ValueFlow, { links }: Chain, made: Link, work: Work | undefined): Promise<Link> {
  if (made.kind !== 'computed' || made !== links.at(-1)) return made;
  const stored = links.findLast(({ place, from, rip }) => rip !== 0 && place.kind === 'memory' && from?.kind === 'register');
  if (stored === undefined) return made;
  const frameAt = async ({ position, thread }: Link): Promise<bigint> => {
    await flow.execution.seek(position, work);
    return viewOf(flow.execution.state, thread, flow.modules)?.innermost().cfa() ?? 0n;
  };
  // A frame that lies deeper has been left by the time of the store.
  return stored.thread === made.thread && (await frameAt(made)) < (await frameAt(stored)) ? stored : made;
}

/** What no instruction ever wrote: the address is to blame by which it was read. */
async function definitionOfAddress(flow: ValueFlow, suspect: Suspect, { links }: Chain, isKnown: IsKnown, work: Work | undefined, depth: number): Promise<Definition | undefined> {
  const last = links.at(-1);
  if (last?.place.kind !== 'memory') return undefined;
  const reader = readerOf(links, suspect);
  if (reader === undefined) return undefined;
  const { execution } = flow;
  await execution.seek(reader.position, work);
  const { state } = execution;
  const block = blockAt(state, reader.thread);
  if (block === null) return undefined;
  const evaluation = evaluationAt(state, reader.thread, block);
  const { address } = last.place;
  const places = block.nodes.flatMap((node) => {
    const def = OPS[node.op] as OpDef;
    return def.effect === 'load' && evaluation.address(node) === address ? sourcesOf(block, node.a, evaluation) : [];
  });
  const leaves = await new Leaves(flow, reader.thread, statementAt(flow, reader.thread), work).of(places, reader.position);
  await execution.seek(reader.position, work);
  const numbers = leaves.filter(({ place, value }) => place.size < 8 || !isPointer(flow, reader.thread, value));
  for (const leaf of numbers.length > 0 ? numbers : leaves) {
    if (isFrame(leaf.place)) continue;
    const found = await definitionOf(flow, { ...leaf, role: numbers.length > 0 ? 'index' : 'pointer' }, isKnown, work, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isPointer(flow: ValueFlow, thread: number, value: bigint): boolean {
  return flow.isMapped(value, thread);
}

function isFrame(place: Link['place']): boolean {
  return place.kind === 'register';
}

/** The instruction that read the memory which nothing wrote. */
function readerOf(links: readonly Link[], suspect: Suspect): { readonly position: Position; readonly thread: number } | undefined {
  const reader = links.at(-2);
  if (reader !== undefined) return reader;
  return suspect.place.kind === 'memory' ? suspect : undefined;
}
