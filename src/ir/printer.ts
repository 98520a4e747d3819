/**
 * IR as text, one line per node:
 *
 *   // 0x401000
 *   v1:i64 = get rax
 *   v3:i64 = i64.add v1, v2
 *   set rax, v3
 *   store64 [v1 - 8], v3
 *   jump 0x401234
 */
import { assertNever } from '../base/assert.js';
import { hex } from '../base/types.js';
import * as layout from '../layout/cpuState.js';
import { type Block, type End, NONE, type Node } from './ir.js';
import type { OpDef } from './opDef.js';
import { OPS } from './ops.js';

const INDENT = '  ';

/** Names of slots by offset and type; where two overlap (scratch) the type tells. */
const SLOT_NAMES: ReadonlyMap<string, string> = new Map(
  Object.values(layout).flat().flatMap((s): [string, string][] => (isSlot(s) ? [[`${s.type}@${s.offset}`, s.name]] : [])),
);

function isSlot(value: unknown): value is layout.Slot {
  return typeof value === 'object' && value !== null && 'offset' in value && 'type' in value && 'name' in value;
}

interface PrintOptions {
  /** Text of the instruction at an address, shown beside its mark. */
  readonly disassemble?: (address: number) => string;
}

export function printBlock(block: Block, options: PrintOptions = {}): string {
  const lines = block.nodes.map((node, i) => printNode(node, i, options));
  lines.push(INDENT + printEnd(block.end));
  return lines.join('\n');
}

function printNode(node: Node, index: number, options: PrintOptions = {}): string {
  const def = OPS[node.op] as OpDef;
  if (def.effect === 'mark') {
    const text = options.disassemble?.(node.imm);
    return `// ${hex(node.imm)}${text === undefined ? '' : `  ${text}`}`;
  }
  const result = def.result === null ? '' : `v${index}:${def.result} = `;
  return `${INDENT}${result}${printOperation(node, def)}`;
}

function printOperation(node: Node, def: OpDef): string {
  const args = [node.a, node.b, node.c, node.d].filter((v) => v !== NONE).map((v) => `v${v}`);
  switch (def.imm) {
    case 'slot':
      return [`${def.name.slice(0, 3)} ${slotName(node.imm, def.name.slice(4))}`, ...args].join(', ');
    case 'disp':
      return [`${def.name} [${args[0]}${displacement(node.imm)}]`, ...args.slice(1)].join(', ');
    case 'i64':
      return `${def.name} ${shortHex(node.big)}`;
    case 'v128':
      return `${def.name} ${Array.from(node.bytes ?? [], (byte) => byte.toString(16).padStart(2, '0')).join(' ')}`;
    case 'i32':
      return `${def.name} ${[...args, shortHex(BigInt(node.imm))].join(', ')}`;
    default:
      return args.length === 0 ? def.name : `${def.name} ${args.join(', ')}`;
  }
}

function slotName(offset: number, type: string): string {
  return SLOT_NAMES.get(`${type}@${offset}`) ?? `${type}@${offset}`;
}

function displacement(disp: number): string {
  return disp === 0 ? '' : disp < 0 ? ` - ${shortHex(BigInt(-disp))}` : ` + ${shortHex(BigInt(disp))}`;
}

/** Small numbers in decimal, others in hexadecimal. */
function shortHex(n: bigint): string {
  if (n > -1000n && n < 1000n) return n.toString();
  return n < 0n ? `-0x${(-n).toString(16)}` : `0x${n.toString(16)}`;
}

function printEnd(end: End): string {
  switch (end.kind) {
    case 'jump':
      return `jump ${hex(end.target)}`;
    case 'branch':
      return `branch v${end.condition}, ${hex(end.taken)} else ${hex(end.fall)}`;
    case 'call':
      return `call ${hex(end.target)}, return to ${hex(end.returnTo)}`;
    case 'indirect':
      return end.via === 'call' ? `call v${end.target}, return to ${hex(end.returnTo)}` : `${end.via} v${end.target}`;
    case 'syscall':
      return `syscall, next ${hex(end.next)}`;
    case 'trap':
      return `trap ${end.vector} at ${hex(end.resume)}`;
    case 'unknown':
      return `unknown ${end.text} at ${hex(end.at)}`;
    default:
      return assertNever(end);
  }
}
