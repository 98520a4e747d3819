/**
 * Instructions around an address. Forward they follow from each other; backward they do not, on x86, so one begins where
 * instructions are known to begin: at the function's symbol, at a line, or as far back as the instructions then meet the address.
 */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { guestAddr } from '../base/types.js';
import { locationAt } from '../debugger/program/resolveLocation.js';
import type { ProgramView } from '../debugger/program/programView.js';
import { decodeOne } from '../x86/translate.js';
import type { Adapter } from './adapter.js';
import { addressText } from './addresses.js';

interface DisassemblyRequest {
  readonly address: bigint;
  /** The first instruction, counted from the one at `address`; may be negative. */
  readonly first: number;
  readonly count: number;
  readonly withSymbols: boolean;
}

interface Instruction {
  readonly address: bigint;
  readonly length: number;
  readonly text: string;
  readonly bytes: Uint8Array | undefined;
}

const LONGEST = 15;
const HIGHEST = 1n << 47n;
/** Decoding from too far back gains nothing. */
const FURTHEST_BACK = 1 << 16;

export function disassembleAround(adapter: Adapter, program: ProgramView, request: DisassemblyRequest): DebugProtocol.DisassembledInstruction[] {
  const { address, first, count } = request;
  const before = first < 0 ? instructionsBefore(program, address, -first) : [];
  const after = instructionsFrom(program, address, Math.max(0, first + count));
  const wanted = first < 0 ? [...before, ...after].slice(0, count) : after.slice(first, first + count);
  let path: string | undefined;
  let line = 0;
  return wanted.map((instruction) => {
    const shown = shownInstruction(program, instruction, request.withSymbols);
    if (instruction.bytes === undefined) return shown;
    const place = locationAt(program, instruction.address);
    if (place.path === undefined || place.line === 0 || (place.path === path && place.line === line)) return shown;
    [path, line] = [place.path, place.line];
    return { ...shown, location: adapter.sources.of(place.path), line: adapter.client.line(place.line) };
  });
}

function shownInstruction(program: ProgramView, { address, text, bytes }: Instruction, withSymbols: boolean): DebugProtocol.DisassembledInstruction {
  const symbol = withSymbols && bytes !== undefined ? program.symbols.describe(address) : undefined;
  return {
    address: addressText(address), instruction: text,
    ...(bytes === undefined ? { presentationHint: 'invalid' as const } : { instructionBytes: Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(' ') }),
    ...(symbol === undefined ? {} : { symbol: symbol.slice(1, -1) }),
  };
}

function instructionsFrom(program: ProgramView, start: bigint, count: number): Instruction[] {
  const found: Instruction[] = [];
  for (let address = start; found.length < count; ) {
    const instruction = instructionAt(program, address);
    found.push(instruction);
    address += BigInt(instruction.length);
  }
  return found;
}

/** Exactly `count`, the last of which ends at the address. */
function instructionsBefore(program: ProgramView, address: bigint, count: number): Instruction[] {
  const backward: Instruction[] = [];
  let end = address;
  while (backward.length < count && end > 0n) {
    const piece = pieceBefore(program, end);
    if (piece.length === 0) break;
    backward.push(...piece.toReversed());
    end = (piece[0] as Instruction).address;
  }
  while (backward.length < count) {
    end = end > 0n ? end - 1n : 0n;
    backward.push(nothingAt(end));
  }
  return backward.slice(0, count).toReversed();
}

/** Some instructions right before an address; at least one where there is memory. */
function pieceBefore(program: ProgramView, end: bigint): Instruction[] {
  const symbol = program.symbols.at(end - 1n)?.symbol;
  if (symbol !== undefined && symbol.address < end && end - symbol.address <= BigInt(FURTHEST_BACK)) {
    const piece = upTo(program, symbol.address, end);
    if (piece !== undefined) return piece;
  }
  for (let back = LONGEST * 2; back >= 1; back--) {
    const start = end - BigInt(back);
    const piece = start < 0n || program.memory(start, 1) === undefined ? undefined : upTo(program, start, end);
    if (piece !== undefined && piece.every(({ text }) => text !== BAD)) return piece;
  }
  const byte = program.memory(end - 1n, 1);
  return byte === undefined ? [] : [{ address: end - 1n, length: 1, text: BAD, bytes: byte }];
}

const BAD = '(bad)';

/** Undefined if no instruction ends there. */
function upTo(program: ProgramView, start: bigint, end: bigint): Instruction[] | undefined {
  const found: Instruction[] = [];
  let address = start;
  while (address < end) {
    const instruction = instructionAt(program, address);
    found.push(instruction);
    address += BigInt(instruction.length);
  }
  return address === end ? found : undefined;
}

function instructionAt(program: ProgramView, address: bigint): Instruction {
  if (address < 0n || address >= HIGHEST) return nothingAt(BigInt.asUintN(64, address));
  let bytes: Uint8Array | undefined;
  for (let size = LONGEST; size >= 1 && bytes === undefined; size--) bytes = program.memory(address, size);
  if (bytes === undefined) return nothingAt(address);
  const { text, length } = decodeOne(bytes, guestAddr(Number(address)));
  return { address, length, text, bytes: bytes.slice(0, length) };
}

function nothingAt(address: bigint): Instruction {
  return { address, length: 1, text: '(no memory)', bytes: undefined };
}
