/**
 * What was used where a run crashed and may be corrupt: of an access the pointer or the index, of a jump its target, of
 * a check that failed what was checked (Figure 3, line 5 of the paper). What is evidently in order is left out: a
 * pointer to memory that is there, beside an index.
 */
import { guestAddr, hex } from '../../base/types.js';
import { SIG } from '../../base/signalNumbers.js';
import type { ValueFlow } from '../../flow/chain.js';
import { memoryPlace, type Place } from '../../flow/copies/place.js';
import type { Block } from '../../ir/ir.js';
import type { Evaluation } from '../../ir/meaning/evaluation.js';
import type { OpDef } from '../../ir/opDef.js';
import { OPS } from '../../ir/ops.js';
import { RSP } from '../../layout/cpuState.js';
import { at, type Position } from '../../replay/log/position.js';
import type { State } from '../../replay/timeline/state.js';
import type { Work } from '../../replay/timeline/work.js';
import type { FreeCall } from '../definition/freedTwice.js';
import { checkedPlaces } from './checks.js';
import type { FoundCrash } from './crash.js';
import { blockAt, evaluationAt, type Leaf, Leaves, sourcesOf, statementAt } from './leaves.js';

type SuspectRole = 'pointer' | 'index' | 'target' | 'returnAddress' | 'divisor' | 'checked' | 'freed';

export interface Suspect extends Leaf {
  readonly role: SuspectRole;
}

export interface Suspicion {
  readonly suspects: readonly Suspect[];
  /** What happened, for reports: `write to 0x10`. */
  readonly what: string;
  /** The address of an access that is near NULL. */
  readonly isNull: boolean;
  /** The stack is full: no corruption. */
  readonly isStackFull?: boolean;
  /** The library function whose check failed. */
  readonly checker?: string;
  readonly freeing?: FreeCall;
}

const PAGE = 4096n;
/** As far below the stack pointer a full stack may be accessed. */
const STACK_REACH = 1n << 20n;
const POINTER_BYTES = 8;

export async function suspicionOf(flow: ValueFlow, crash: FoundCrash, work?: Work): Promise<Suspicion> {
  const { position, thread, signal, isFault } = crash;
  await flow.execution.seek(position, work);
  if (!isFault) return checkedSuspicion(flow, crash, work);
  const { state } = flow.execution;
  const block = blockAt(state, thread);
  if (block === null) return wildJump(flow, crash, work);
  const evaluation = evaluationAt(state, thread, block);
  const statement = statementAt(flow, thread);
  const leaves = async (places: readonly Place[]): Promise<readonly Leaf[]> => new Leaves(flow, thread, statement, work).of(places, position);
  if (signal === SIG.FPE) return { suspects: withRole(await leaves(divisorPlaces(block, evaluation)), 'divisor'), what: 'a division that has no result', isNull: false };
  if (block.end.kind === 'indirect' && badAccess(state, thread, block, evaluation) === undefined) {
    const isReturn = block.end.via === 'return';
    const places = isReturn ? [memoryPlace(guestAddr(Number(state.register(thread, 'rsp'))), POINTER_BYTES)] : sourcesOf(block, block.end.target, evaluation);
    const target = evaluation.value(block.end.target);
    return { suspects: isReturn ? withRole(await leaves(places), 'returnAddress') : withRole(await leaves(places), 'target'), what: `${isReturn ? 'a return' : 'a jump'} to ${target === undefined ? 'what is no address' : hex(target)}`, isNull: target === 0n };
  }
  return accessSuspicion(state, thread, block, evaluation, leaves);
}

interface BadAccess {
  readonly address: bigint;
  readonly isWrite: boolean;
  readonly places: readonly Place[];
}

async function accessSuspicion(state: State, thread: number, block: Block, evaluation: Evaluation, leaves: (places: readonly Place[]) => Promise<readonly Leaf[]>): Promise<Suspicion> {
  // An access to what is there may be misaligned.
  const access = badAccess(state, thread, block, evaluation) ?? accessesOf(state, thread, block, evaluation)[0];
  if (access === undefined) return { suspects: [], what: 'an instruction that cannot be executed', isNull: false };
  const { address, isWrite, places } = access;
  const what = `${isWrite ? 'write to' : 'read from'} ${hex(address)}`;
  const stack = state.register(thread, 'rsp') ?? 0n;
  const isOnStack = places.every((place) => place.kind === 'register' && place.offset === RSP.offset) || !isMapped(state, thread, stack);
  if (isOnStack && isNearStack(state, thread, address)) return { suspects: [], what: `${what}: the stack is full`, isNull: false, isStackFull: true };
  return { suspects: judged(state, thread, await leaves(places)), what, isNull: address < PAGE };
}

/** Whether an address lies right below a mapping that the stack pointer is in, or is about to leave. */
function isNearStack(state: State, thread: number, address: bigint): boolean {
  const stack = state.register(thread, 'rsp') ?? 0n;
  const distance = stack > address ? stack - address : address - stack;
  return distance < STACK_REACH;
}

/** A pointer that leads nowhere is to blame; if all of them are good, what they are indexed with. */
function judged(state: State, thread: number, all: readonly Leaf[]): Suspect[] {
  const leaves = all.filter(({ value }, i) => all.findIndex((other) => other.value === value && sameKind(other, all[i] as Leaf)) === i);
  const isPointer = ({ place }: Leaf): boolean => place.size === POINTER_BYTES;
  const isGood = (leaf: Leaf): boolean => isPointer(leaf) && isMapped(state, thread, leaf.value);
  const bad = leaves.filter((leaf) => isPointer(leaf) && !isGood(leaf) && !isSmall(leaf.value));
  const hasGood = leaves.some(isGood);
  if (bad.length > 0 && !hasGood) return withRole(bad, 'pointer');
  const others = leaves.filter((leaf) => !isGood(leaf));
  if (hasGood) return withRole(others.length > 0 ? others : leaves, others.length > 0 ? 'index' : 'pointer');
  const nulls = leaves.filter((leaf) => isPointer(leaf) && leaf.value < PAGE);
  return withRole(nulls.length > 0 ? nulls : leaves, 'pointer');
}

function sameKind(a: Leaf, b: Leaf): boolean {
  return a.place.kind === b.place.kind && a.place.size === b.place.size && JSON.stringify(a.place) === JSON.stringify(b.place);
}

/** As an index may be, or a null pointer with a field. */
function isSmall(value: bigint): boolean {
  const signed = BigInt.asIntN(64, value);
  return signed > -(1n << 32n) && signed < 1n << 32n;
}

function withRole(leaves: readonly Leaf[], role: SuspectRole): Suspect[] {
  return leaves.map((leaf) => ({ ...leaf, role }));
}

function isMapped(state: State, thread: number, address: bigint): boolean {
  if (address < PAGE || address >= 1n << 47n) return false;
  return state.mappingAt(thread, guestAddr(Number(address)))?.prot !== undefined && state.permissions(thread, guestAddr(Number(address)))?.read === true;
}

/** Accesses of an instruction, each with the registers that its address is made of. */
function accessesOf(state: State, thread: number, block: Block, evaluation: Evaluation): BadAccess[] {
  return block.nodes.flatMap((node): BadAccess[] => {
    const def = OPS[node.op] as OpDef;
    if (def.name.startsWith('rep.')) return stringAccesses(state, thread, def.name);
    if ((def.effect !== 'load' && def.effect !== 'store') || def.bytes === 0) return [];
    const base = evaluation.value(node.a);
    if (base === undefined) return [];
    return [{ address: BigInt.asUintN(64, base + BigInt(node.imm)), isWrite: def.effect === 'store', places: sourcesOf(block, node.a, evaluation) }];
  });
}

function badAccess(state: State, thread: number, block: Block, evaluation: Evaluation): BadAccess | undefined {
  return accessesOf(state, thread, block, evaluation).find((access) => !isAllowed(state, thread, access));
}

function stringAccesses(state: State, thread: number, name: string): BadAccess[] {
  const one = (register: 'rdi' | 'rsi', offset: number, isWrite: boolean): BadAccess => ({ address: state.register(thread, register) ?? 0n, isWrite, places: [{ kind: 'register', offset, size: POINTER_BYTES }] });
  const [rsi, rdi] = [one('rsi', 6 * POINTER_BYTES, false), one('rdi', 7 * POINTER_BYTES, name === 'rep.movs' || name === 'rep.stos')];
  return name === 'rep.stos' || name === 'rep.scas' ? [rdi] : [rdi, rsi];
}

function isAllowed(state: State, thread: number, { address, isWrite }: BadAccess): boolean {
  if (address < PAGE || address >= 1n << 47n) return false;
  const allowed = state.permissions(thread, guestAddr(Number(address)));
  return allowed !== undefined && (isWrite ? allowed.write : allowed.read);
}

function divisorPlaces(block: Block, evaluation: Evaluation): Place[] {
  return block.nodes.flatMap((node) => {
    const { name } = OPS[node.op] as OpDef;
    // Helpers have the dividend in two parts.
    if (name.startsWith('div.')) return sourcesOf(block, node.c, evaluation);
    return /^i(32|64)\.(div|rem)_/.test(name) ? sourcesOf(block, node.b, evaluation) : [];
  });
}

/** Control has gone to where there is no code: the instruction that led there is the one before. */
async function wildJump(flow: ValueFlow, { position, thread }: FoundCrash, work: Work | undefined): Promise<Suspicion> {
  const { execution } = flow;
  const target = execution.state.register(thread, 'rip') ?? 0n;
  const before: Position = at(position.time - 1);
  await execution.seek(before, work);
  const { state } = execution;
  const block = state.current?.id === thread ? blockAt(state, thread) : null;
  const what = `a jump to ${hex(target)}, where there is no code`;
  if (block?.end.kind !== 'indirect') return { suspects: [], what, isNull: target < PAGE };
  const isReturn = block.end.via === 'return';
  if (isReturn) {
    const place = memoryPlace(guestAddr(Number(state.register(thread, 'rsp'))), POINTER_BYTES);
    return { suspects: [{ place, position: before, thread, value: target, role: 'returnAddress' }], what: `a return to ${hex(target)}, where there is no code`, isNull: target < PAGE };
  }
  const evaluation = evaluationAt(state, thread, block);
  const places = sourcesOf(block, block.end.target, evaluation);
  const found = await new Leaves(flow, thread, statementAt(flow, thread), work).of(places, before);
  return { suspects: withRole(found, 'target'), what, isNull: target < PAGE };
}

/** A signal that the program sent itself: abort, of its own or by a library that has checked something. */
async function checkedSuspicion(flow: ValueFlow, crash: FoundCrash, work: Work | undefined): Promise<Suspicion> {
  const { places, checker, what, freeing } = await checkedPlaces(flow, crash, work);
  return { suspects: places, what, isNull: false, ...(checker === undefined ? {} : { checker }), ...(freeing === undefined ? {} : { freeing }) };
}
