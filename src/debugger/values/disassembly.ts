/**
 * Instructions around an address. Forward they follow from each other; backward they do not, on x86. So the search
 * begins where an instruction is known to begin, at the function's symbol, or as far back as the instructions then meet
 * the address.
 */
import { instructionStarts } from '../../x86/instructionStarts.js';
import type { ProgramView } from '../program/programView.js';
import { unlessFailed } from './expressionError.js';
import { type Flavor, instructionText } from './instructionText.js';
import { ProgramSurroundings } from './programSurroundings.js';
import type { Surroundings } from './surroundings.js';

export interface CodeInstruction {
  readonly address: bigint;
  readonly length: number;
  readonly text: string;
  /** Undefined where there is no memory: then it is one byte of nothing. */
  readonly bytes: Uint8Array | undefined;
}

interface DisassemblyRequest {
  readonly address: bigint;
  /** The first instruction, counted from the one at `address`; may be negative. */
  readonly first: number;
  readonly count: number;
}

const LONGEST = 15;
const HIGHEST = 1n << 47n;
/** Decoding from too far back gains nothing. */
const FURTHEST_BACK = 1 << 16;
const BAD = '(bad)';

/** Exactly as many as are asked for. */
export function instructionsAround(program: ProgramView, { address, first, count }: DisassemblyRequest, flavor: Flavor): CodeInstruction[] {
  const around = new ProgramSurroundings(program, undefined);
  const code = (at: bigint): CodeInstruction => instructionAt(around, at, flavor);
  const found: CodeInstruction[] = [];
  if (first < 0) found.push(...startsBefore(program, address, -first).slice(0, count).map((start) => (start.isWhole ? code(start.address) : brokenAt(program, start.address))));
  let skipped = Math.max(0, first);
  for (let at = address; found.length < count; ) {
    const instruction = code(at);
    if (skipped-- <= 0) found.push(instruction);
    at += BigInt(instruction.length);
  }
  return found;
}

function instructionAt(around: Surroundings, address: bigint, flavor: Flavor): CodeInstruction {
  if (address < 0n || address >= HIGHEST) return nothingAt(BigInt.asUintN(64, address));
  return unlessFailed(() => ({ address, ...instructionText(around, address, flavor) }), () => nothingAt(address));
}

interface Start {
  readonly address: bigint;
  /** Whether an instruction begins there; otherwise it is a single byte, or nothing. */
  readonly isWhole: boolean;
}

/** Of exactly `count` instructions, the last of which ends at the address. */
function startsBefore(program: ProgramView, address: bigint, count: number): Start[] {
  const backward: Start[] = [];
  let end = address;
  while (backward.length < count && end > 0n) {
    const piece = pieceBefore(program, end);
    const [first] = piece;
    if (first === undefined) break;
    backward.push(...piece.toReversed());
    end = first.address;
  }
  while (backward.length < count) {
    end = end > 0n ? end - 1n : 0n;
    backward.push({ address: end, isWhole: false });
  }
  return backward.slice(0, count).toReversed();
}

/** Some instructions right before an address; at least one where there is memory. */
function pieceBefore(program: ProgramView, end: bigint): Start[] {
  const symbol = program.symbols.at(end - 1n)?.symbol;
  if (symbol !== undefined && symbol.address < end && end - symbol.address <= BigInt(FURTHEST_BACK)) {
    const piece = startsBetween(program, symbol.address, end);
    if (piece !== undefined) return piece;
  }
  for (let back = LONGEST * 2; back >= 1; back--) {
    const piece = startsBetween(program, end - BigInt(back), end);
    if (piece?.every(({ isWhole }) => isWhole) === true) return piece;
  }
  return program.memory(end - 1n, 1) === undefined ? [] : [{ address: end - 1n, isWhole: false }];
}

/** Undefined if no instruction ends there, or there is no memory. */
function startsBetween(program: ProgramView, start: bigint, end: bigint): Start[] | undefined {
  const code = start < 0n ? undefined : program.memory(start, Number(end - start));
  return code === undefined ? undefined : instructionStarts(code)?.map(({ offset, isValid }) => ({ address: start + BigInt(offset), isWhole: isValid }));
}

function brokenAt(program: ProgramView, address: bigint): CodeInstruction {
  const bytes = program.memory(address, 1);
  return bytes === undefined ? nothingAt(address) : { address, length: 1, text: BAD, bytes };
}

function nothingAt(address: bigint): CodeInstruction {
  return { address, length: 1, text: '(no memory)', bytes: undefined };
}
