/**
 * What an instruction wants to do with corrupt data that must not be done: everything else may be executed, since what
 * comes of it is corrupt all the same.
 */
import type { Block, Node } from '../../../ir/ir.js';
import { nodeEffects } from '../../../ir/meaning/nodeEffects.js';
import type { OpDef } from '../../../ir/opDef.js';
import { OP_BY_NAME, OPS } from '../../../ir/ops.js';
import { RAX, RCX, RDI, RSI, RSP, type Slot } from '../../../layout/cpuState.js';
import type { InstructionShadow, ShadowedMachine } from '../../../machine/shadow/instructionShadow.js';

export type Meeting =
  /** An access whose address is corrupt. */
  | 'address'
  /** It would trap or not by what is corrupt, would go on for a corrupt time, or would lose the stack. */
  | 'data'
  | 'condition'
  /** A jump through a corrupt pointer; a call through one. */
  | 'target'
  | 'call'
  /** Which system call it would be is corrupt. */
  | 'systemCall'
  /** It takes a corrupt word from the stack that was put there when the function was entered. */
  | 'return';

const id = (name: string): number => (OP_BY_NAME.get(name) as OpDef).id;
const TRAP = id('trapIf');
const IMAGE = id('sys.fpuImage');
const CONVERT = id('x87.convert');
const COMPARISONS: ReadonlySet<number> = new Set([id('rep.cmps'), id('rep.scas')]);
const IS_STRING: readonly boolean[] = OPS.map(({ name }) => name.startsWith('rep.'));
const STRING_REGISTERS: readonly Slot[] = [RCX, RSI, RDI];

export function meetingOf(block: Block, shadow: InstructionShadow, machine: ShadowedMachine): Meeting | undefined {
  const { end } = block;
  const uses = usesOf(block);
  const used = useIn(uses, shadow, machine);
  if (end.kind === 'indirect') {
    if (end.via === 'return') return shadow.bits(end.target) === 0n ? undefined : 'return';
    if (used === 'address' || shadow.bits(end.target) !== 0n) return end.via === 'call' ? 'call' : 'target';
  }
  if (used !== undefined) return used;
  if (end.kind === 'syscall') return machine.slotBits(RAX.offset) === 0n ? undefined : 'systemCall';
  if (end.kind === 'branch' && shadow.bits(end.condition) !== 0n) return 'condition';
  return uses.takesFromStack && shadow.undefinedLoads().length > 0 ? 'return' : undefined;
}

/** What of an instruction may use corrupt data in a way that matters; found out once. */
interface Uses {
  readonly traps: readonly Node[];
  readonly accesses: readonly Node[];
  readonly strings: readonly Node[];
  readonly moves: readonly Node[];
  readonly takesFromStack: boolean;
}

const known = new WeakMap<Block, Uses>();

function usesOf(block: Block): Uses {
  let uses = known.get(block);
  if (uses !== undefined) return uses;
  const { nodes } = block;
  uses = {
    traps: nodes.filter(({ op }) => op === TRAP), accesses: nodes.filter(isAccess), strings: nodes.filter(({ op }) => IS_STRING[op] === true),
    moves: nodes.filter((node) => isSet(node, RSP)), takesFromStack: takesFromStack(block),
  };
  known.set(block, uses);
  return uses;
}

function useIn({ traps, accesses, strings, moves }: Uses, shadow: InstructionShadow, machine: ShadowedMachine): 'address' | 'data' | undefined {
  for (const { a } of accesses) if (shadow.bits(a) !== 0n) return 'address';
  for (const { a } of traps) if (shadow.bits(a) !== 0n) return 'data';
  for (const node of strings) {
    const { reads } = nodeEffects(node);
    if (STRING_REGISTERS.some(({ offset }) => reads.some((range) => range.offset === offset) && machine.slotBits(offset) !== 0n)) return 'address';
    if (COMPARISONS.has(node.op) && (machine.slotBits(RAX.offset) !== 0n || comparesCorrupt(machine))) return 'data';
  }
  for (const { a } of moves) if (shadow.bits(a) !== 0n) return 'data';
  return undefined;
}

export function isAccess({ op }: Node): boolean {
  const { effect } = OPS[op] as OpDef;
  return effect === 'load' || effect === 'store' || op === IMAGE || op === CONVERT;
}

export function isSet({ op, imm }: Node, { offset }: Slot): boolean {
  return (OPS[op] as OpDef).effect === 'set' && imm === offset;
}

/** Bytes of each operand that a comparison is taken to look at. */
const COMPARED = 64;

/** How far it would go is not known if what it compares is not; near its beginning is where that matters. */
function comparesCorrupt(machine: ShadowedMachine): boolean {
  const count = Math.min(COMPARED, Number(machine.slot(RCX.offset, 'i64')));
  return [RSI, RDI].some(({ offset }) => corruptIn(machine, Number(machine.slot(offset, 'i64')), count));
}

function corruptIn(machine: ShadowedMachine, address: number, bytes: number): boolean {
  for (let at = 0; at < bytes; at += 16) if (machine.memoryBits(address + at, Math.min(16, bytes - at)) !== 0n) return true;
  return false;
}

/** `pop` and `leave`: the stack pointer moves, and something is loaded; nothing is computed or stored. */
function takesFromStack({ nodes, end }: Block): boolean {
  return end.kind === 'jump' && nodes.some((node) => isSet(node, RSP)) && nodes.every(({ op }) => (OPS[op] as OpDef).effect !== 'store' && (OPS[op] as OpDef).effect !== 'cc');
}
