/** Slices at the prompt: what slices/sliceCommands.ts answers, printed; where it leads, gone to. */
import { SLICE_COMMANDS, type SliceOutcome, type SliceStops } from '../../slices/sliceCommands.js';
import { UserError } from '../../base/errors.js';
import { parseStatement } from '../../debugger/program/statementText.js';
import { relevantConditions } from '../../probe/relevant.js';
import { relevantLines } from '../../probe/relevantText.js';
import { at } from '../../replay/log/position.js';
import type { Command, Completed } from '../command.js';
import type { Session } from '../session.js';
import { arrive } from './runningCommands.js';

interface Help {
  readonly details?: string;
  readonly examples?: Command['examples'];
  readonly completes?: Completed;
  readonly repeat?: Command['repeat'];
}

const HELP: Readonly<Record<string, Help>> = {
  slice: {
    completes: 'location',
    details: 'Without argument: of the crash, or of the line where you stand, this time. The slice gets a number, and its lines have numbers, too. "slice show ID" shows it again, "slice union A B", "slice intersect A B" and "slice minus A B" make new ones of two, "slice save ID [FILE]" and "slice load [FILE]" keep it beside the recording. -data and -control follow only such dependences, -relevant tries conditions that had no part in it the other way and lists those that change it, -frames also what functions do for their stack frames, and -into-libraries shows the code of libraries. See docs/slices.md.',
    examples: [['slice', 'what made it crash?'], ['slice tally.c:41#1', 'all that line 41 used the first time'], ['slice tally.c:41 tally.title', 'what one variable depended on there'], ['slice $rax', 'what a register depends on, here'], ['slice -data total', 'data only'], ['slice -relevant main.c:40 flag', 'also: why was it not set?']],
  },
  prune: {
    completes: 'expression', examples: [['prune 1 i', 'without what is due to a variable'], ['prune 1 tally.c:18', 'without what went through a line'], ['prune 1 $rdi main', 'without a register, and without what main does']],
    details: 'The slice is made again with those edges left out, and gets a new number. Variables are those that are visible in a frame here, or global: their addresses are left out.',
  },
  sdelete: { completes: 'nothing' },
  record: {
    completes: 'location', examples: [['record tally.c:40 on', 'from the time that line 40 is reached'], ['record tally.c:41 off', 'up to the time that line 41 is reached'], ['record clear_votes', 'only calls of a function'], ['record all', 'everything again']],
    details: 'What lies outside is cut away: it is no member, and what it depends on is not followed. "info record" says what holds. It is for slices that are made from now on.',
  },
  deps: { completes: 'nothing', examples: [['deps', 'lists instances of lines, with what they are due to'], ['follow 1', 'goes to the first of them'], ['back', 'returns']] },
  follow: { completes: 'nothing' },
  sbreak: { completes: 'nothing', examples: [['sbreak 1 all', 'stop at every instance of slice 1'], ['sbreak 1 2,5', 'only at those of its second and fifth line']], details: 'It is a breakpoint: "continue" and "reverse-continue" stop there, "delete" removes it.' },
  sstep: { completes: 'nothing', repeat: 'same', details: 'Of the slice that was made last, if no other is named.' },
  rsstep: { completes: 'nothing', repeat: 'same', details: 'Of the slice that was made last, if no other is named.' },
  chop: { completes: 'location', examples: [['chop tally.c:18 tally.c:41', 'how line 41 came to depend on line 18']] },
};

/** Of a window, what stays visible. */
const ROWS_LEFT = 3;

export const SLICES: readonly Command[] = Object.entries(SLICE_COMMANDS).map(([name, { usage, summary }]) => ({
  name, group: 'slices', repeat: 'never', usage, summary, ...HELP[name], run: async (args, session) => answer(name, args, session),
}));

export const INFO_SLICES: readonly Command[] = [
  { name: 'slices', group: 'slices', usage: 'info slices', completes: 'nothing', summary: 'Slices that were made.', run: async (_args, session) => answer('info slices', '', session) },
  { name: 'record', group: 'slices', usage: 'info record', completes: 'nothing', summary: 'What part of the run slices look at.', run: async (_args, session) => answer('info record', '', session) },
];

async function answer(name: string, written: string, session: Session): Promise<void> {
  const isRelevant = name === 'slice' && RELEVANT.test(written);
  const args = isRelevant ? written.replace(RELEVANT, ' ').trim() : written;
  if (isRelevant && NOT_BACKWARD.test(args)) throw new UserError('-relevant is for backward slices: slice -relevant [FILE:LINE[#N]] [VARIABLE...]');
  const { debugger: debug } = session;
  const all = /^show\s+\S+\s+all\s*$/.test(args);
  const outcome = await session.working(name, (work) => debug.aside(() => session.slices.run(name, all ? args.replace(/\s+all\s*$/, '') : args, work)));
  print(outcome, session, all);
  if (isRelevant) await addRelevant(args, session);
  const { goTo, stops } = outcome;
  if (stops !== undefined) stopAt(stops, session);
  if (goTo !== undefined) await arrive(await session.going(name, (work) => debug.goTo(at(goTo), work)), session);
}

const RELEVANT = /(?:^|\s)--?relevant(?=\s|$)/;
const NOT_BACKWARD = /^(?:show|union|intersect|minus|save|load|forward)(?:\s|$)/;

/** Conditions that had no part in it, but would have. */
async function addRelevant(args: string, session: Session): Promise<void> {
  const { debugger: debug, slices: { table } } = session;
  const words = args.split(/\s+/).filter((word) => word !== '' && !/^--?[a-z]/.test(word));
  const isStatement = words[0] !== undefined && parseStatement(words[0]) !== undefined;
  const question = { statement: isStatement ? words[0] : undefined, things: isStatement ? words.slice(1) : words };
  const result = await session.working('slice', (work) => relevantConditions(debug, table.slices, question, work));
  for (const line of relevantLines(result, (path, line) => session.sources.line(path, line))) session.say(line);
}

/** At most a screenful, where there is a screen. */
function print({ lines }: SliceOutcome, session: Session, all: boolean): void {
  const rows = all ? undefined : session.surface.size?.rows;
  const most = rows === undefined ? Infinity : Math.max(5, rows - ROWS_LEFT);
  for (const line of lines.length > most ? lines.slice(0, most - 1) : lines) session.say(line);
  if (lines.length <= most) return;
  const id = /^Slice (\d+):/.exec(lines[0] ?? '')?.[1];
  session.say(`... ${lines.length - most + 1} more lines${id === undefined ? '' : `: "slice show ${id} all" shows them`}`);
}

function stopAt({ title, arrivals }: SliceStops, session: Session): void {
  const addresses = [...new Set(arrivals.flatMap((one) => one.addresses))].sort((a, b) => a - b);
  const { number } = session.debugger.addTimesBreakpoint(title, addresses, new Set(arrivals.map(({ time }) => time)));
  session.say(`Breakpoint ${number} at ${title}: ${arrivals.length === 1 ? 'one instance' : `${arrivals.length.toLocaleString('en')} instances`}`);
}
