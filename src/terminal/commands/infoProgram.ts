/** `info sharedlibrary`, `info proc`, `info inferiors`, `info files`, `info program`. */
import { shownPath } from '../../base/bytePath.js';
import { visible } from '../../base/visible.js';
import { UserError } from '../../base/errors.js';
import { numbersOf } from '../../debugger/control/stops.js';
import { linkedName } from '../../debugger/program/linkMap.js';
import { mappedRanges } from '../../debugger/program/memoryMap.js';
import type { LoadedModule } from '../../debugger/program/modules.js';
import type { Command } from '../command.js';
import { hex, wideHex } from '../frameText.js';
import { inferiorNumber, threadTitle } from '../threadText.js';
import { endingWords, whenText } from './timeCommands.js';

const SHARED: Command = {
  name: 'sharedlibrary', aliases: ['dll', 'sh', 'sha'], group: 'files', usage: 'info sharedlibrary [REGEX]', completes: 'nothing', summary: 'Libraries that are loaded.',
  run(args, session) {
    const { all, main } = session.program.modules;
    const found = all.filter((module) => module !== main && module.path !== '[vdso]' && (args === '' || new RegExp(args).test(module.path)));
    if (found.length === 0) return session.say(args === '' ? 'No shared libraries loaded at this time.' : 'No shared libraries matched.');
    session.say('From                To                  Syms Read   Shared Object Library');
    for (const module of found) session.say(`${textRange(module)}  ${symbolsRead(module)}${linkedName(session.program, module)}`);
    if (found.some(({ info }) => info === undefined)) session.say('(*): Shared library is missing debugging information.');
  },
};

function textRange({ file, bias, start, end }: LoadedModule): string {
  const text = file.elf.section('.text');
  if (text === undefined) return `${wideHex(start)}  ${wideHex(end)}`;
  return `${wideHex(BigInt(text.address) + bias)}  ${wideHex(BigInt(text.address + text.size) + bias)}`;
}

function symbolsRead({ info }: LoadedModule): string {
  return (info === undefined ? 'Yes (*)' : 'Yes').padEnd(12);
}

const PROC: Command = {
  name: 'proc', group: 'status', usage: 'info proc [mappings]', completes: ['mappings'], summary: 'The process: its number, command line, memory.',
  run(args, session) {
    const { thread } = session.debugger;
    if (thread === undefined) throw new UserError('No current process: you must name one.');
    session.say(`process ${thread.pid}`);
    if (args === '' || args === 'all') session.say(`cmdline = '${session.commandLine.map(visible).join(' ')}'\nexe = '${shownPath(session.program.modules.main?.path ?? '?')}'`);
    if (!/^(m|mappings|all)/.test(args)) return;
    session.say(`Mapped address spaces:\n\n${'Start Addr'.padStart(18)} ${'End Addr'.padStart(18)} ${'Size'.padStart(10)} ${'Offset'.padStart(10)}  Perms  objfile`);
    for (const { start, end, fileOffset, permissions, name } of mappedRanges(session.debugger.state, thread.id)) {
      const [from, to, size, offset] = [hex(start).padStart(18), hex(end).padStart(18), hex(end - start).padStart(10), hex(fileOffset).padStart(10)];
      session.say(`${from} ${to} ${size} ${offset}  ${permissions}  ${shownPath(name)}`);
    }
  },
};

const INFERIORS: Command = {
  name: 'inferiors', group: 'running', usage: 'info inferiors', completes: 'nothing', summary: 'Processes of the recording at this time.',
  run(_args, session) {
    const { threads, thread: current } = session.debugger;
    session.say('  Num  Description       Connection           Executable        ');
    for (const pid of new Set(threads.map((thread) => thread.pid))) {
      const first = threads.find((thread) => thread.pid === pid);
      const program = first === undefined ? undefined : session.debugger.program(first.id);
      session.say(`${pid === current?.pid ? '*' : ' '} ${String(inferiorNumber(pid, session)).padEnd(4)} ${`process ${pid}`.padEnd(17)} ${'1 (recording)'.padEnd(20)} ${shownPath(program?.modules.main?.path ?? '<null>').padEnd(17)} `);
    }
  },
};

const FILES: Command = {
  name: 'files', aliases: ['target'], group: 'files', usage: 'info files', completes: 'nothing', summary: 'Programs and libraries with their sections.',
  run(_args, session) {
    const { all, main } = session.program.modules;
    session.say(`Symbols from "${shownPath(main?.path ?? '?')}".`);
    if (main !== undefined) session.say(`\t\`${shownPath(main.path)}', file type elf64-x86-64.\n\tEntry point: ${hex(BigInt(main.file.elf.header.entry) + main.bias)}`);
    for (const module of main === undefined ? all : [main, ...all.filter((other) => other !== main)]) {
      for (const { name, address, size } of module.file.elf.sections) {
        if (address === 0) continue;
        const start = BigInt(address) + module.bias;
        session.say(`\t${wideHex(start)} - ${wideHex(start + BigInt(size))} is ${visible(name)}${module === main ? '' : ` in ${shownPath(module.path)}`}`);
      }
    }
  },
};

const PROGRAM: Command = {
  name: 'program', group: 'status', usage: 'info program', completes: 'nothing', summary: 'Where the program stands, and why.',
  run(_args, session) {
    const { thread, frame, lastStop } = session.debugger;
    if (thread === undefined) return session.say('The program being debugged is not being run.');
    session.say(`\tUsing the recording of ${threadTitle(thread, session)}.`);
    if (frame !== undefined) session.say(`Program stopped at ${hex(frame.pc)}.`);
    const numbers = numbersOf(lastStop);
    session.say(numbers.length > 0 ? `It stopped at breakpoint ${numbers.join(', ')}.` : lastStop.kind === 'end' ? `It stopped at the end: ${endingWords(lastStop)}.` : `It stopped at ${whenText(session)}.`);
  },
};

export const INFO_PROGRAM: readonly Command[] = [SHARED, PROC, INFERIORS, FILES, PROGRAM];
