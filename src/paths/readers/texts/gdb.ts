/** Backtraces of gdb: `bt`, `bt full` and `thread apply all bt`. */
import { NO_FILES, type Reading, type ReportReader, textOf } from '../reading.js';
import { argumentsIn, frameOf } from './frames.js';
import { type LineMeaning, type StackFormat, stackReports } from './stackText.js';

const FRAME = /^#(\d+)\s+(?:0x[\da-f]+ in )?(.+)$/;
const SIGNAL = /^(?:Program|Thread .*) (?:received|terminated with) signal (\w+)/;

const FORMAT: StackFormat = { tool: 'gdb', untitled: 'a backtrace', meaningOf };

export const GDB_READER: ReportReader = {
  name: 'gdb',
  what: 'backtraces of gdb',
  accepts: (beginning) => /^#0 {2}\S/m.test(beginning),
  read: (input): Reading => ({ files: NO_FILES, reports: stackReports(joinedLines(textOf(input)), FORMAT) }),
};

/** On terminals gdb breaks long frames before `at`, `from` and arguments. */
function joinedLines(text: string): string {
  return text.replace(/^(#\d+ .*)((?:\n {4,}(?:\w+=|at |from ).*)+)/gm, (_, first: string, rest: string) => first + rest.replace(/\n +/g, ' '));
}

function meaningOf(line: string): LineMeaning {
  const [, signal] = SIGNAL.exec(line) ?? [];
  if (signal !== undefined) return { kind: 'begin', message: line, rule: signal };
  const [, number, rest] = FRAME.exec(line) ?? [];
  if (number !== undefined && rest !== undefined) return { kind: 'frame', isFirst: number === '0', frame: frameIn(rest) };
  // Locals of `bt full` are between frames, and where the program stopped is the first frame again.
  if (/^\s+\S/.test(line) || /^(?:No locals\.|\d+\t|0x[\da-f]+ in )/.test(line)) return { kind: 'nothing' };
  return { kind: 'other', text: line.trim() };
}

function frameIn(text: string): ReturnType<typeof frameOf> {
  const [, before = text, file, line] = /^(.*?) at (\S.*):(\d+)$/.exec(text) ?? [];
  const [, called = before, module] = /^(.*?) from (\/.*)$/.exec(before) ?? [];
  const open = openingOf(called);
  const name = (open < 0 ? called : called.slice(0, open)).trim();
  return frameOf({ name, file, line, module, state: open < 0 ? undefined : argumentsIn(called.slice(open + 1, -1)) });
}

/** The bracket that the arguments begin with: the one that the last one closes. */
function openingOf(called: string): number {
  if (!called.endsWith(')')) return -1;
  let depth = 0;
  for (let i = called.length - 1; i >= 0; i--) {
    if (called[i] === ')') depth++;
    else if (called[i] === '(' && --depth === 0) return i;
  }
  return -1;
}
