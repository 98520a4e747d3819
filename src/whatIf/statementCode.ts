/**
 * The machine code of a statement, piece by piece, with the function around it: what alterations change. A place in a
 * source file may have code in several functions (copies of inlined ones): each is a statement of its own here.
 */
import { UserError } from '../base/errors.js';
import { guestAddr, hex } from '../base/types.js';
import { unlessCorrupt } from '../dwarf/dwarfError.js';
import { AT } from '../dwarf/dwarfConstants.js';
import type { Scope } from '../dwarf/scope.js';
import { scopesAt } from '../dwarf/sourceFrames.js';
import { findStatement } from '../debugger/program/findStatement.js';
import type { LoadedModule } from '../debugger/program/modules.js';
import type { ProgramView } from '../debugger/program/programView.js';
import type { Statement, Statements } from '../debugger/program/statements.js';
import { parseStatement } from '../debugger/program/statementText.js';
import { type CodeStep, codeSteps } from '../x86/codeSteps.js';

export interface Stretch {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** Instructions one after the other that belong to the statement. */
export interface Piece extends Stretch {
  readonly steps: readonly CodeStep[];
}

export interface FunctionCode {
  readonly name: string;
  readonly stretches: readonly Stretch[];
  /** All its instructions, in the order of addresses. */
  readonly steps: readonly CodeStep[];
  /** Undefined if it is not known. */
  readonly returnsValue: boolean | undefined;
  /** Compiled so that statements are mixed with each other. */
  readonly isOptimised: boolean;
  /** Where its last line begins: there it takes its frame down. */
  readonly epilogue: number | undefined;
}

export interface StatementCode {
  /** As the user named it. */
  readonly place: string;
  /** Undefined for an instruction that was named by its address. */
  readonly statement: Statement | undefined;
  /** In which it was found. */
  readonly program: ProgramView;
  readonly module: LoadedModule;
  readonly function: FunctionCode;
  readonly pieces: readonly Piece[];
  /** Where its parts begin and end, with the load bias: `case 1: x = 2; break;` has two. */
  readonly parts: readonly (readonly Stretch[])[];
}

/** In what order of magnitude functions end: longer ones are not looked at as a whole. */
const LONGEST_FUNCTION = 1 << 20;
const LONGEST_INSTRUCTION = 15;
/** Bytes that are looked at where no function is known. */
const NEARBY = 64;
const OPTIMISED = /\s-O(?:[1-9sgz]|fast)/;

/** What is known of a program and its source. */
export interface SourceContext {
  readonly program: ProgramView;
  readonly statements: Statements;
  /** For a line without a file. */
  readonly currentPath?: string | undefined;
}

/** Throws a UserError if there is no such line, or no code for it. */
export function statementsAt(place: string, context: SourceContext): StatementCode[] {
  const { program, statements } = context;
  const address = /^\*(0x[0-9a-f]+|\d+)$/i.exec(place)?.[1];
  if (address !== undefined) return [instructionAt(place, Number(address), program)];
  const text = parseStatement(place);
  if (text === undefined) throw new UserError(`${place}: no place; write FILE:LINE, or *ADDRESS`);
  if (program.modules.main?.info === undefined) throw new UserError(`${place}: the program has no debug information; name an instruction by its address, as *0x401136`);
  const statement = findStatement(text, { ...context, modules: program.modules.all });
  const found = program.modules.all.flatMap((module) => {
    const codes = statements.ofLine(module.file, statement.path, statement.line).filter(({ statement: one }) => statement.part === undefined || one === statement);
    const bias = Number(module.bias);
    return codes.flatMap(({ statement: part, ranges }) => ranges.map(({ start, end }) => ({ module, part, stretch: { start: start + bias, end: end + bias } })));
  });
  return byFunction(place, statement, found, program);
}

function instructionAt(place: string, address: number, program: ProgramView): StatementCode {
  const module = program.moduleAt(BigInt(address));
  if (module === undefined) throw new UserError(`${place}: there is no code of a program or library at ${hex(address)}`);
  const functionCode = functionAt(address, module, program) ?? nearby(address, program);
  const step = functionCode.steps.find((one) => one.address === address);
  if (step === undefined) throw new UserError(`${place}: no instruction begins there`);
  return { place, statement: undefined, program, module, function: functionCode, pieces: [{ start: address, end: address + step.length, steps: [step] }], parts: [] };
}

interface Found {
  readonly module: LoadedModule;
  readonly part: Statement;
  readonly stretch: Stretch;
}

function byFunction(place: string, statement: Statement, found: readonly Found[], program: ProgramView): StatementCode[] {
  const statements: { code: FunctionCode; module: LoadedModule; stretches: Stretch[] }[] = [];
  for (const { module, stretch } of [...found].sort((a, b) => a.stretch.start - b.stretch.start)) {
    const known = statements.find(({ code }) => isIn(code.stretches, stretch.start));
    // Tables of lines go on to where the next function begins: what is between them belongs to none.
    const code = known === undefined ? functionAt(stretch.start, module, program) : undefined;
    if (known !== undefined) known.stretches.push(stretch);
    else if (code !== undefined) statements.push({ code, module, stretches: [stretch] });
  }
  if (statements.length === 0) throw new UserError(`${place}: what function its code is in is not known`);
  const parts = [...new Set(found.map(({ part }) => part))].map((part) => found.filter((one) => one.part === part).map(({ stretch }) => stretch));
  return statements.map(({ code, module, stretches }) => ({ place, statement, program, module, function: code, pieces: joined(stretches).map((stretch) => pieceOf(stretch, code)), parts }));
}

function pieceOf(stretch: Stretch, { steps }: FunctionCode): Piece {
  return { ...stretch, steps: steps.filter(({ address }) => address >= stretch.start && address < stretch.end) };
}

function joined(stretches: readonly Stretch[]): Stretch[] {
  const result: Stretch[] = [];
  for (const { start, end } of stretches) {
    const last = result.at(-1);
    if (last !== undefined && start <= last.end) result[result.length - 1] = { start: last.start, end: Math.max(last.end, end) };
    else result.push({ start, end });
  }
  return result;
}

export function isIn(stretches: readonly Stretch[], address: number): boolean {
  return stretches.some(({ start, end }) => address >= start && address < end);
}

/** The function that an address is in. Throws a UserError if there is none. */
export function functionAround(address: number, module: LoadedModule, program: ProgramView): FunctionCode {
  const found = functionAt(address, module, program);
  if (found === undefined) throw new UserError(`what function ${hex(address)} is in is not known`);
  return found;
}

/** Without symbols and debug information: what follows the instruction. */
function nearby(address: number, { state, thread }: ProgramView): FunctionCode {
  const code = state.read(thread.id, guestAddr(address), NEARBY) ?? state.read(thread.id, guestAddr(address), LONGEST_INSTRUCTION) ?? new Uint8Array();
  const stretches = [{ start: address, end: address + code.length }];
  return { name: hex(address), stretches, steps: codeSteps(code, address), returnsValue: undefined, isOptimised: false, epilogue: undefined };
}

function functionAt(address: number, module: LoadedModule, program: ProgramView): FunctionCode | undefined {
  const bias = Number(module.bias);
  const { info } = module;
  const scope: Scope | undefined = info === undefined ? undefined : unlessCorrupt(() => scopesAt(info, address - bias).at(-1), () => undefined);
  const symbol = program.symbols.at(BigInt(address))?.symbol;
  const stretches = scope !== undefined && scope.ranges.length > 0
    ? scope.ranges.map(({ low, high }) => ({ start: low + bias, end: high + bias }))
    : symbol !== undefined && symbol.size > 0 ? [{ start: Number(symbol.address), end: Number(symbol.address) + symbol.size }] : [];
  if (stretches.length === 0 || stretches.some(({ start, end }) => end - start > LONGEST_FUNCTION)) return undefined;
  const steps = stretches.flatMap(({ start, end }) => codeSteps(program.state.read(program.thread.id, guestAddr(start), end - start) ?? new Uint8Array(), start));
  const first = stretches[0] as Stretch;
  return {
    name: scope?.function.displayName ?? symbol?.name ?? hex(address), stretches, steps: steps.sort((a, b) => a.address - b.address),
    returnsValue: scope === undefined ? undefined : scope.function.returnType !== undefined,
    isOptimised: isOptimised(scope, steps), epilogue: scope === undefined ? undefined : epilogueOf(module, first),
  };
}

function isOptimised(scope: Scope | undefined, steps: readonly CodeStep[]): boolean {
  const producer = scope === undefined ? undefined : unlessCorrupt(() => scope.die.unit.root.string(AT.PRODUCER), () => undefined);
  if (producer !== undefined && producer.includes(' -')) return OPTIMISED.test(producer);
  // A frame with a frame pointer is what compilers make when they do not care.
  return !steps.slice(0, 3).some(({ isFrame }) => isFrame);
}

function epilogueOf({ file, bias }: LoadedModule, { end }: Stretch): number | undefined {
  const last = file.lineRangeAt(end - 1 - Number(bias));
  return last === undefined ? undefined : last.start + Number(bias);
}
