/** `disassemble`: a function or a range, with source lines and bytes if wanted. */
import { UserError } from '../../base/errors.js';
import type { ProgramView } from '../../debugger/program/programView.js';
import { symbolAt } from '../../debugger/values/programSurroundings.js';
import type { Command } from '../command.js';
import { hex, wideHex } from '../frameText.js';
import type { CodeText } from '../language.js';
import type { Session } from '../session.js';

interface Range {
  readonly start: bigint;
  readonly end: bigint;
  /** Of a whole function. */
  readonly name: string | undefined;
}

const MOST_BYTES = 1n << 20n;

export const DISASSEMBLE: Command = {
  name: 'disassemble', aliases: ['disas'], group: 'data', usage: 'disassemble [/m|/s|/r] [FUNCTION | ADDRESS | START,END | START,+LENGTH]', completes: 'expression',
  summary: 'Show the instructions of a function (default: of the selected frame), or of a range.',
  examples: [['disassemble', 'the function here'], ['disassemble /s main', 'with source lines'], ['disassemble $pc,+20', '20 bytes from here']],
  run(args, session) {
    const [, flags = '', rest = ''] = /^((?:\/\w+\s*)*)(.*)$/s.exec(args) ?? [];
    const range = rangeOf(rest.trim(), session);
    session.say(range.name === undefined ? `Dump of assembler code from ${hex(range.start)} to ${hex(range.end)}:` : `Dump of assembler code for function ${range.name}:`);
    show(range, { withSource: /[sm]/.test(flags), withBytes: /[rb]/.test(flags) }, session);
    session.say('End of assembler dump.');
  },
};

function rangeOf(text: string, session: Session): Range {
  if (text === '') return functionAt(session.frame.pc, session);
  const [first = '', last] = splitAtComma(text);
  const start = session.language.number(first);
  if (last === undefined) return functionAt(start, session);
  const end = last.startsWith('+') ? start + session.language.number(last.slice(1)) : session.language.number(last);
  if (end - start > MOST_BYTES) throw new UserError('That is more than a megabyte of code; give a smaller range.');
  return { start, end, name: undefined };
}

function splitAtComma(text: string): string[] {
  const at = text.lastIndexOf(',');
  return at < 0 ? [text] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

function functionAt(address: bigint, { program }: Session): Range {
  const module = program.moduleAt(address);
  const near = program.symbols.at(address);
  if (near === undefined || module === undefined) throw new UserError('No function contains specified address.');
  const { symbol } = near;
  const size = symbol.size > 0 ? BigInt(symbol.size) : address - symbol.address + 16n;
  return { start: symbol.address, end: symbol.address + size, name: symbolAt(program, address)?.symbol.linkageName ?? symbol.name };
}

function show(range: Range, options: { readonly withSource: boolean; readonly withBytes: boolean }, session: Session): void {
  const flavor = session.settings.get('disassembly-flavor');
  const lines = new LinesBetween(session);
  for (let at = range.start; at < range.end; ) {
    if (options.withSource) lines.before(at);
    const code = session.language.code(at, flavor);
    session.say(row(at, code, range, options.withBytes, session));
    at += BigInt(code.length);
  }
}

function row(address: bigint, { bytes, text }: CodeText, range: Range, withBytes: boolean, session: Session): string {
  const mark = address === session.debugger.frame?.pc ? '=> ' : '   ';
  const place = range.name === undefined ? named(session.program, address) : ` <+${address - range.start}>`;
  const raw = withBytes ? `${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(' ')}\t` : '';
  return `${mark}${wideHex(address)}${place}:\t${raw}${text}`;
}

function named(program: ProgramView, address: bigint): string {
  const near = symbolAt(program, address);
  return near === undefined ? '' : ` <${near.symbol.linkageName}+${near.offset}>`;
}

/** Source lines where the line changes. */
class LinesBetween {
  private path: string | undefined;
  private line = 0;

  constructor(private readonly session: Session) {}

  before(address: bigint): void {
    const { session } = this;
    const module = session.program.moduleAt(address);
    const range = module?.file.lineRangeAt(Number(address - module.bias));
    const path = range?.file?.path;
    if (range === undefined || path === undefined || (path === this.path && range.line === this.line)) return;
    if (this.path !== undefined) session.say('');
    if (path !== this.path) session.say(`${session.shownName(range.file?.shownName, path)}:`);
    const first = path === this.path && range.line > this.line && range.line - this.line < 10 ? this.line + 1 : range.line;
    for (let line = first; line <= range.line; line++) session.say(`${line}\t${session.sources.line(path, line) ?? ''}`);
    this.path = path;
    this.line = range.line;
  }
}
