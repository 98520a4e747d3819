/** `info line`, `info symbol`, `info address`, `info source`. */
import { shownPath } from '../../base/bytePath.js';
import { visible } from '../../base/visible.js';
import { UserError } from '../../base/errors.js';
import type { CodeLocation } from '../../debugger/program/location.js';
import { lineOf, parseStatement, type StatementText } from '../../debugger/program/statementText.js';
import type { Unit } from '../../dwarf/unit.js';
import type { LoadedModule } from '../../debugger/program/modules.js';
import type { Command } from '../command.js';
import { demangle } from '../../debugger/values/demangle/demangle.js';
import { hex } from '../frameText.js';
import type { Session } from '../session.js';
import { lineRangesOf } from '../lineLookup.js';
import { variablePlace } from '../variablePlaces.js';
import { addressName, symbolAt } from '../../debugger/values/programSurroundings.js';

const LINE: Command = {
  name: 'line', group: 'status', usage: 'info line [LOCATION]', completes: 'location', summary: 'Where the code of a line is.',
  run(args, session) {
    const statement = parseStatement(args);
    if (statement?.part !== undefined) return sayStatement(statement, session);
    const wanted = args === '' ? lineHere(session) : wantedLines(lineOf(args), session);
    for (const place of wanted) sayLine(place, session);
  },
};

function sayStatement(text: StatementText, session: Session): void {
  const { program, debugger: { named, frame } } = session;
  const statement = named.statementNow(text, program.modules.all, frame?.path ?? session.listing.file?.path);
  const title = `Statement ${statement.part} of line ${statement.line} of "${visible(session.shownName(statement.path, statement.path))}"`;
  for (const module of program.modules.all) {
    for (const { ranges } of named.statements.ofLine(module.file, statement.path, statement.line).filter((code) => code.statement === statement)) {
      const stretches = ranges.map(({ start, end }) => `${hex(BigInt(start) + module.bias)} to ${hex(BigInt(end) + module.bias)}`);
      session.say(`${title} is at addresses ${stretches.join(', ')}${statement.text === undefined ? '' : `: ${visible(statement.text)}`}`);
    }
  }
}

interface WantedLine {
  readonly path: string;
  readonly name: string;
  readonly line: number;
  /** An address that was asked for. */
  readonly address?: bigint;
}

/** What was shown last: a stop, or a listing. */
function lineHere({ listing }: Session): WantedLine[] {
  if (listing.file === undefined) throw new UserError('No line number information available.');
  return [{ ...listing.file, line: listing.firstShown }];
}

function wantedLines(args: string, session: Session): WantedLine[] {
  if (/^\d+$/.test(args)) return lineHere(session).map((here) => ({ ...here, line: Number(args) }));
  const inFile = /^(.*[^:]):(\d+)$/.exec(args);
  if (inFile !== null) {
    for (const { info } of session.program.modules.all) {
      const [found] = info?.sources.find(inFile[1] as string) ?? [];
      if (found !== undefined) return [{ path: found.file.path, name: session.shownName(found.file.shownName, found.file.path), line: Number(inFile[2]) }];
    }
    throw new UserError(`No source file named ${inFile[1]}.`);
  }
  const found = session.debugger.resolve(args);
  if (args.startsWith('*')) return found.map((location) => ({ path: location.path ?? '', name: session.shownName(location.fileName, location.path), line: location.line, address: location.address }));
  return found.flatMap((location) => functionLines(location, session));
}

/** Of a function the line it begins at, where its code begins. */
function functionLines({ module, scope, address, path }: CodeLocation, session: Session): WantedLine[] {
  const low = scope?.ranges[0]?.low;
  if (module === undefined || low === undefined) {
    session.say(`No line number information available for address ${hex(address)}${described(address, session)}`);
    return [];
  }
  const range = module.file.lineRangeAt(low);
  return range === undefined ? [] : [{ path: range.file?.path ?? path ?? '', name: session.shownName(range.file?.shownName, range.file?.path), line: range.line }];
}

function described(address: bigint, session: Session): string {
  const text = addressName(session.program, address);
  return text === undefined ? '' : ` ${text}`;
}

function sayLine({ path, name, line, address }: WantedLine, session: Session): void {
  if (address !== undefined) return sayAddress(address, session);
  const { ranges, after } = lineRangesOf(path, line, session.program);
  const [first] = ranges;
  const title = `Line ${line} of "${visible(name)}"`;
  if (first === undefined && after !== undefined) return session.say(`${title} is at address ${hex(after)}${described(after, session)} but contains no code.`);
  if (first !== undefined && bestLineAt(first.start, session) !== line) return session.say(`${title} is at address ${hex(first.start)}${described(first.start, session)} but contains no code.`);
  if (first === undefined) return session.say(`Line number ${line} is out of range for "${visible(name)}".`);
  session.say(`${title} starts at address ${hex(first.start)}${described(first.start, session)} and ends at ${hex(first.end)}${described(first.end, session)}.`);
}

/** Of several lines at one address the last has the code. */
function bestLineAt(address: bigint, { program }: Session): number | undefined {
  const module = program.moduleAt(address);
  return module?.file.lineRangeAt(Number(address - module.bias))?.line;
}

function sayAddress(address: bigint, session: Session): void {
  const module = session.program.moduleAt(address);
  const range = module?.file.lineRangeAt(Number(address - module.bias));
  if (module === undefined || range === undefined) return session.say(`No line number information available for address ${hex(address)}${described(address, session)}`);
  const [start, end] = [BigInt(range.start) + module.bias, BigInt(range.end) + module.bias];
  const name = session.shownName(range.file?.shownName, range.file?.path);
  const at = start === address ? `starts at address ${hex(start)}${described(start, session)}` : `starts at address ${hex(start)}${described(start, session)}`;
  session.say(`Line ${range.line} of "${name}" ${at} and ends at ${hex(end)}${described(end, session)}.`);
}

const SYMBOL: Command = {
  name: 'symbol', group: 'status', usage: 'info symbol ADDRESS', completes: 'expression', summary: 'What symbol an address lies in.',
  run(args, session) {
    if (args === '') throw new UserError('Argument required (address).');
    const address = session.language.number(args);
    const near = symbolAt(session.program, address);
    if (near === undefined) return session.say(`No symbol matches ${args}.`);
    const { symbol: { linkageName, module }, offset } = near;
    const where = session.program.modules.all.length > 1 ? ` of ${shownPath((module as LoadedModule).path)}` : '';
    session.say(`${minimalName(linkageName, address - offset, session)}${offset === 0n ? '' : ` + ${offset}`} in section ${sectionOf(module as LoadedModule, address)}${where}`);
  },
};

/** The symbol's own name, demangled; that of a function without one in the linker's table is the plain one. */
function minimalName(linkageName: string, start: bigint, { program }: Session): string {
  return demangle((program.symbols.at(start)?.symbol.name ?? linkageName).replace(/\.\d+$/, ''));
}

function sectionOf(module: LoadedModule, address: bigint): string {
  const inFile = Number(address - module.bias);
  return module.file.elf.sections.find((section) => section.address !== 0 && inFile >= section.address && inFile < section.address + section.size)?.name ?? '?';
}

const ADDRESS: Command = {
  name: 'address', group: 'status', usage: 'info address SYMBOL', completes: 'expression', summary: 'Where a symbol is.',
  run(args, session) {
    if (args === '') throw new UserError('Argument required.');
    const { frame } = session.debugger;
    const variable = frame?.scopes.flatMap(({ variables }) => variables).find(({ name }) => name === args);
    if (variable !== undefined && frame !== undefined) {
      return session.say(`Symbol "${args}" is ${variablePlace(variable, frame.stack.bias)}.`);
    }
    const [symbol] = session.program.symbols.named(args);
    if (symbol === undefined) throw new UserError(`No symbol "${args}" in current context.`);
    const hasInfo = symbol.module.info !== undefined;
    const what = symbol.kind === 'function' ? (hasInfo ? 'a function at address' : 'at') : hasInfo ? 'static storage at address' : 'static storage at address';
    const isPlain = !hasInfo && symbol.kind === 'function';
    session.say(`Symbol "${args}" is ${what} ${hex(symbol.address)}${isPlain ? ' in a file compiled without debugging' : ''}.`);
  },
};

/** The unit whose source a file is, or the first that has it. */
function unitOf(path: string, { program }: Session): Unit | undefined {
  for (const { info } of program.modules.all) {
    const units = info?.sources.find(path).map((found) => found.unit) ?? [];
    const own = units.find((unit) => unit.name !== undefined && path.endsWith(unit.name)) ?? units[0];
    if (own !== undefined) return own;
  }
  return undefined;
}

const SOURCE: Command = {
  name: 'source', group: 'status', usage: 'info source', completes: 'nothing', summary: 'About the source file that was shown last.',
  run(_args, session) {
    const { frame } = session.debugger;
    const path = frame?.path ?? session.listing.file?.path;
    if (path === undefined) return session.say('No current source file.');
    const name = frame?.fileName ?? session.listing.file?.name ?? path;
    const unit = frame?.path === undefined ? unitOf(path, session) : frame.scopes.at(-1)?.die.unit;
    const lines = session.sources.lines(path);
    session.say(`Current source file is ${visible(name)}`);
    if (unit?.directory !== undefined) session.say(`Compilation directory is ${visible(unit.directory)}`);
    const place = session.sources.find(path);
    if (place !== undefined) session.say(`Located in ${visible(place)}`);
    if (lines !== undefined) session.say(`Contains ${lines.length} line${lines.length === 1 ? '' : 's'}.`);
    session.say(`Source language is ${unit === undefined || unit.isC ? 'c' : unit.isCPlusPlus ? 'c++' : 'another one'}.`);
    if (unit?.producer !== undefined) session.say(`Producer is ${visible(unit.producer)}.`);
    session.say(`Compiled with DWARF ${unit?.version ?? 5} debugging format.\nDoes not include preprocessor macro info.`);
  },
};

export const INFO_CODE: readonly Command[] = [LINE, SYMBOL, ADDRESS, SOURCE];
