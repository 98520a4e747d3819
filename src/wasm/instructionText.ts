/**
 * One instruction of the binary format as a line of text, and the layout of a body: indentation by
 * nesting, labels named by their depth ($L1 outermost), so that a branch and its block can be matched by
 * eye. Two departures from what other disassemblers print: an alignment hint of one byte (our default)
 * is left out, and a branch hint is a comment.
 */
import { hex } from '../base/types.js';
import type { ByteReader } from './byteReader.js';
import { WasmFormatError } from './byteReader.js';
import { readValType } from './moduleReader.js';
import {
  LANE_OPS, MEMORY_LANE_OPS, MEMORY_OPS, PLAIN_OPS, prefixedOpcode, STRUCTURE_OPS, WASM_OPS,
} from './opcodes.js';

/** How indices are shown; the printer of modules knows the names. */
export interface IndexNames {
  local(index: number): string;
  func(index: number): string;
  /** Reads the index of a function type and shows it as `(type $t) (param …) (result …)`. */
  typeUse(r: ByteReader): string;
}

type ImmediatePrinter = (r: ByteReader) => string;

const NO_RESULT = 0x40;
/** Constants from here on are shown in hexadecimal too. */
const LARGE = 0x1000n;

const OP_NAMES = new Map([...Object.entries(WASM_OPS), ...Object.entries(STRUCTURE_OPS)].map(([name, code]) => [code, name]));

const IMMEDIATES: ReadonlyMap<string, ImmediatePrinter> = new Map([
  ...Object.keys(PLAIN_OPS).map((name): [string, ImmediatePrinter] => [name, () => '']),
  ...Object.keys(MEMORY_OPS).map((name): [string, ImmediatePrinter] => [name, memoryArgument]),
  ...Object.keys(LANE_OPS).map((name): [string, ImmediatePrinter] => [name, (r) => ` ${r.u8()}`]),
  ...Object.keys(MEMORY_LANE_OPS).map((name): [string, ImmediatePrinter] => [name, (r) => `${memoryArgument(r)} ${r.u8()}`]),
  ['i32.const', (r) => ` ${integerText(BigInt(r.s32()), 32)}`],
  ['i64.const', (r) => ` ${integerText(r.s64(), 64)}`],
  ['f32.const', (r) => ` ${floatText(BigInt(r.bits32()), 32)}`],
  ['f64.const', (r) => ` ${floatText(r.bits64(), 64)}`],
  ['v128.const', (r) => ` i32x4 ${Array.from({ length: 4 }, () => hex(r.bits32())).join(' ')}`],
  ['i8x16.shuffle', (r) => ` ${r.bytes(16).join(' ')}`],
  ['memory.size', memoryIndex],
  ['memory.grow', memoryIndex],
  ['memory.fill', memoryIndex],
  ['memory.copy', (r) => memoryIndex(r) + memoryIndex(r)],
]);

/** Lines of the instructions up to the end that closes the body, which is left out. */
export function bodyLines(r: ByteReader, names: IndexNames, hintAt: (offset: number) => boolean | undefined): string[] {
  const lines: string[] = [];
  for (let depth = 0; ; ) {
    const hint = hintAt(r.offset);
    const name = readOpName(r);
    if (name === 'end' && depth === 0) break;
    if (name === 'else' && depth === 0) r.fail('else outside of an if, before');
    if (name === 'end') depth--;
    const indent = '  '.repeat(name === 'else' ? depth - 1 : depth);
    if (isOpening(name)) depth++;
    const comment = hint === undefined ? '' : hint ? ' ;; likely' : ' ;; unlikely';
    lines.push(`${indent}${name}${immediates(name, r, names, depth)}${comment}`);
  }
  if (!r.done) r.fail('instructions after the end of a function');
  return lines;
}

/** A constant instruction, as in the initial value of a global. */
export function constantText(r: ByteReader): string {
  const name = readOpName(r);
  const print = IMMEDIATES.get(name);
  if (!name.endsWith('.const') || print === undefined) r.fail(`${name} where a constant was expected`);
  return `(${name}${print(r)})`;
}

function isOpening(name: string): boolean {
  return name === 'block' || name === 'loop' || name === 'if';
}

function readOpName(r: ByteReader): string {
  const offset = r.offset;
  let code = r.u8();
  if (code === 0xfc || code === 0xfd) code = prefixedOpcode(code, r.u32());
  const name = OP_NAMES.get(code);
  if (name === undefined) throw new WasmFormatError(`unknown instruction ${hex(code)}`, offset);
  return name;
}

function immediates(name: string, r: ByteReader, names: IndexNames, depth: number): string {
  switch (name) {
    case 'block':
    case 'loop':
    case 'if': return ` $L${depth}${blockType(r)}`;
    case 'else':
    case 'end': return '';
    case 'br':
    case 'br_if': return label(r, depth);
    case 'br_table': return branchTable(r, depth);
    case 'call':
    case 'return_call': return ` ${names.func(r.u32())}`;
    case 'call_indirect':
    case 'return_call_indirect': return indirectCall(r, names);
    case 'local.get':
    case 'local.set':
    case 'local.tee': return ` ${names.local(r.u32())}`;
    case 'global.get':
    case 'global.set': return ` $g${r.u32()}`;
    default: return IMMEDIATES.get(name)!(r);
  }
}

function blockType(r: ByteReader): string {
  const offset = r.offset;
  if (r.u8() === NO_RESULT) return '';
  r.offset = offset;
  return ` (result ${readValType(r)})`;
}

function label(r: ByteReader, depth: number): string {
  const offset = r.offset;
  const relative = r.u32();
  if (relative > depth) throw new WasmFormatError(`branch out of ${relative} blocks at depth ${depth}`, offset);
  // Depth 0 is the function, which has no label of its own: the number says the same.
  return relative === depth ? ` ${relative}` : ` $L${depth - relative}`;
}

function branchTable(r: ByteReader, depth: number): string {
  return r.vector(() => label(r, depth)).join('') + label(r, depth);
}

function indirectCall(r: ByteReader, names: IndexNames): string {
  const use = names.typeUse(r);
  const table = r.u32();
  return table === 0 ? ` ${use}` : ` $table${table} ${use}`;
}

function memoryArgument(r: ByteReader): string {
  const start = r.offset;
  const align = r.u32();
  if (align > 4) throw new WasmFormatError(`alignment of 2^${align} bytes`, start);
  const offset = r.u32();
  return (offset === 0 ? '' : ` offset=${hex(offset)}`) + (align === 0 ? '' : ` align=${1 << align}`);
}

function memoryIndex(r: ByteReader): string {
  if (r.u8() !== 0) r.fail('only memory 0 is supported');
  return '';
}

function integerText(value: bigint, width: number): string {
  if (value > -LARGE && value < LARGE) return `${value}`;
  return `${value} (;${hex(BigInt.asUintN(width, value))};)`;
}

function floatText(bits: bigint, width: 32 | 64): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, bits << BigInt(64 - width));
  const value = width === 32 ? view.getFloat32(0) : view.getFloat64(0);
  if (Number.isFinite(value)) return Object.is(value, -0) ? '-0' : `${value}`;
  const sign = bits >> BigInt(width - 1) === 1n ? '-' : '';
  const mantissaBits = width === 32 ? 23 : 52;
  const mantissa = BigInt.asUintN(mantissaBits, bits);
  if (mantissa === 0n) return `${sign}inf`;
  return mantissa === 1n << BigInt(mantissaBits - 1) ? `${sign}nan` : `${sign}nan:${hex(mantissa)}`;
}
