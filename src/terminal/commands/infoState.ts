/** `info frame`, `info locals`, `info args`, `info registers`, `info threads`. */
import { UserError } from '../../base/errors.js';
import { DWARF_REGISTERS } from '../../debugger/program/programView.js';
import type { VisibleFrame } from '../../debugger/program/visibleFrame.js';
import { Backtrace } from '../../debugger/program/backtrace.js';
import { unlessCorrupt } from '../../dwarf/dwarfError.js';
import { savedAddress } from '../../dwarf/unwind.js';
import type { Command } from '../command.js';
import { frameText, hex } from '../frameText.js';
import type { Session } from '../session.js';
import { threadNumber, threadTitle } from '../threadText.js';

const LOCALS: Command = {
  name: 'locals', group: 'stack', usage: 'info locals', completes: 'nothing', summary: 'Local variables of the selected frame.',
  async run(_args, session) {
    const frame = selected(session);
    if (frame.scope === undefined) return session.say('No symbol table info available.');
    await session.looking(() => session.language.locals(frame), (lines) => session.say(lines.length === 0 ? 'No locals.' : lines.join('\n')));
  },
};

const ARGS: Command = {
  name: 'args', group: 'stack', usage: 'info args', completes: 'nothing', summary: 'Arguments of the selected frame.',
  async run(_args, session) {
    const frame = selected(session);
    if (frame.scope === undefined) return session.say('No symbol table info available.');
    await session.looking(() => session.language.arguments(frame), (lines) => session.say(lines.length === 0 ? 'No arguments.' : lines.join('\n')));
  },
};

function selected(session: Session): VisibleFrame {
  if (session.debugger.frame === undefined) throw new UserError('No frame selected.');
  return session.frame;
}

const GENERAL = ['rax', 'rbx', 'rcx', 'rdx', 'rsi', 'rdi', 'rbp', 'rsp', 'r8', 'r9', 'r10', 'r11', 'r12', 'r13', 'r14', 'r15', 'rip', 'eflags', 'cs', 'ss', 'ds', 'es', 'fs', 'gs', 'fs_base', 'gs_base'];
const FLOATING = [...Array.from({ length: 8 }, (_, i) => `st${i}`), 'fctrl', 'fstat', 'ftag', 'fiseg', 'fioff', 'foseg', 'fooff', 'fop', 'mxcsr', ...Array.from({ length: 16 }, (_, i) => `xmm${i}`)];

function registersCommand(name: string, aliases: readonly string[], all: readonly string[], summary: string): Command {
  return {
    name, aliases, group: 'data', usage: `info ${name} [REGISTER…]`, completes: all, summary,
    run(args, session) {
      if (session.debugger.frame === undefined) throw new UserError('The program has no registers now.');
      const names = args === '' ? all : args.split(/\s+/).map((word) => word.replace(/^\$/, '')).map((word) => (word === 'pc' ? 'rip' : word === 'sp' ? 'rsp' : word === 'fp' ? 'rbp' : word));
      for (const register of names) sayRegister(register, args !== '', session);
    },
  };
}

function sayRegister(name: string, isWanted: boolean, session: Session): void {
  const columns = session.language.register(name, session.frame);
  if (columns !== undefined) session.say(`${name.padEnd(14)} ${columns[0].padEnd(19)} ${columns[1]}`.trimEnd());
  else if (isWanted) throw new UserError(`Invalid register \`${name}'`);
}

const FRAME: Command = {
  name: 'frame', aliases: ['f'], group: 'stack', usage: 'info frame', completes: 'nothing', summary: 'All about the selected frame.',
  run(_args, session) {
    const frame = session.debugger.frame;
    if (frame === undefined) throw new UserError('No stack.');
    const [caller, callee] = [session.debugger.backtrace?.frame(frame.level + 1), frame.level === 0 ? undefined : session.debugger.backtrace?.frame(frame.level - 1)];
    const line = frame.line === 0 ? '' : ` (${session.shownName(frame.fileName, frame.path)}:${frame.line})`;
    const outer = callerOf(frame) ?? (frame.kind === 'normal' ? caller?.pc : undefined);
    session.say(`Stack level ${frame.level}, frame at ${hex(frame.id.stack)}:`);
    session.say(` rip = ${hex(frame.pc)}${frame.functionName === undefined ? '' : ` in ${frame.functionName}`}${line}; ${outer === undefined ? 'saved rip = <not saved>' : `saved rip = ${hex(outer)}`}`);
    if (frame.kind === 'inlined' && caller !== undefined) session.say(` inlined into frame ${caller.level}`);
    const around = [caller !== undefined && frame.kind !== 'inlined' ? `called by frame at ${hex(caller.id.stack)}` : '', callee === undefined ? '' : `caller of frame at ${hex(callee.id.stack)}`].filter((text) => text !== '');
    if (around.length > 0) session.say(` ${around.join(', ')}`);
    const unit = frame.scopes.at(-1)?.die.unit;
    if (unit !== undefined) session.say(` source language ${unit.isC ? 'c' : unit.isCPlusPlus ? 'c++' : 'unknown'}.`);
    if (frame.kind === 'inlined' && frame.stack.level === 0) return session.say(' Arglist at unknown address.\n Locals at unknown address, Previous frame\'s sp in rsp');
    if (frame.kind === 'signal') return saySignalFrame(frame, session);
    const base = hex(frame.id.stack - 16n);
    session.say(` Arglist at ${base}, args: ${frame.scope === undefined ? '' : session.language.frameArguments(frame)}`);
    session.say(` Locals at ${base}, Previous frame's sp is ${hex(frame.id.stack)}`);
    const saved = savedRegisters(frame);
    if (saved.length > 0) session.say(` Saved registers:\n  ${saved.join(', ')}`);
  },
};

/** The kernel has put all registers on the stack; the expressions that say where are evaluated to addresses. */
function saySignalFrame(frame: VisibleFrame, session: Session): void {
  const places = new Map<string, bigint>();
  for (const [number, rule] of frame.stack.rules?.registers ?? []) {
    const address = unlessCorrupt(() => savedAddress(rule, frame.id.stack, frame.stack), () => undefined);
    if (address !== undefined) places.set(DWARF_REGISTERS[number] ?? '', address);
  }
  const sp = places.get('rsp');
  session.say(` Arglist at unknown address.\n Locals at unknown address, Previous frame's sp at ${sp === undefined ? '?' : hex(sp)}`);
  const saved = [...GENERAL].flatMap((name) => (name !== 'rsp' && places.has(name) ? [`${name} at ${hex(places.get(name) as bigint)}`] : []));
  if (saved.length > 0) session.say(` Saved registers:\n  ${saved.join(', ')}`);
}

/** Where this function returns to: above main, too. */
function callerOf(frame: VisibleFrame): bigint | undefined {
  return frame.stack.caller()?.pc;
}

function savedRegisters(frame: VisibleFrame): string[] {
  const { rules } = frame.stack;
  // Where nothing describes the code, the return address is found as after a call.
  if (rules === undefined) return [`rip at ${hex(frame.id.stack - 8n)}`];
  const places = new Map([...rules.registers].flatMap(([number, rule]) => (rule.kind === 'offset' ? [[DWARF_REGISTERS[number] ?? '', frame.id.stack + BigInt(rule.offset)] as const] : [])));
  return GENERAL.flatMap((name) => (places.has(name) ? [`${name} at ${hex(places.get(name) as bigint)}`] : []));
}

const THREADS: Command = {
  name: 'threads', aliases: ['thr'], group: 'running', usage: 'info threads', completes: 'nothing', summary: 'All threads, with where they are.',
  run(_args, session) {
    const { threads, thread: current } = session.debugger;
    if (threads.length === 0) return session.say('No threads.');
    const rows = threads.map((thread) => ({ mark: thread.id === current?.id ? '*' : ' ', number: threadNumber(thread, session), title: `${threadTitle(thread, session)} "${thread.name}"`, frame: innermost(thread.id, session) }));
    const widths = { number: Math.max(4, ...rows.map(({ number }) => number.length)), title: Math.max(9, ...rows.map(({ title }) => title.length)) };
    session.say(`  ${'Id'.padEnd(widths.number)} ${'Target Id'.padEnd(widths.title)} Frame `);
    for (const { mark, number, title, frame } of rows) session.say(`${mark} ${number.padEnd(widths.number)} ${title.padEnd(widths.title)} ${frame === undefined ? '(no frame)' : frameText(frame, session)}`);
  },
};

function innermost(id: number, session: Session): VisibleFrame | undefined {
  const { thread, backtrace } = session.debugger;
  if (thread?.id === id) return backtrace?.innermost;
  const program = session.debugger.program(id);
  return program === undefined ? undefined : new Backtrace(program).innermost;
}

export const INFO_STATE: readonly Command[] = [
  LOCALS, ARGS, FRAME, THREADS, registersCommand('registers', ['r'], GENERAL, 'Registers of the selected frame.'),
  registersCommand('all-registers', [], [...GENERAL, ...FLOATING], 'All registers, those for floating point and vectors included.'),
];
