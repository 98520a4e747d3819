/** Data structures in the debugger: what broke them, how they are here, and where they break for good. */
import { UserError } from '../../base/errors.js';
import { bindShapes } from '../../shapes/checking/bind.js';
import { ShapeChecker } from '../../shapes/checking/shapeChecker.js';
import type { BoundSpecification } from '../../shapes/checking/terms.js';
import { gatherHistory, type GatheredHistory } from '../../shapes/history/gather.js';
import { drawText } from '../../shapes/explain/drawText.js';
import { strip } from '../../dwarf/types.js';
import { ownMessage } from '../../shapes/report/examine.js';
import { memoryPicture } from '../../shapes/report/memoryPicture.js';
import { lastingBreaks } from '../../shapes/report/lasting.js';
import { questionOf } from '../../shapes/report/question.js';
import { inconsistencyOf, reportOf } from '../../shapes/report/shapeReport.js';
import { inconsistencyLines, shapeLines } from '../../shapes/report/shapeText.js';
import type { Command } from '../command.js';
import type { Session } from '../session.js';

interface LoadedShape {
  readonly path: string;
  readonly specification: BoundSpecification;
  readonly gathered: GatheredHistory;
}

const LOADED = new WeakMap<Session, LoadedShape>();
/** Inconsistencies that are told. */
const MOST_TOLD = 10;

export const SHAPE: Command = {
  name: 'shape', group: 'time', usage: 'shape FILE | NAME', completes: 'file', repeat: 'never',
  summary: 'Find the statements that broke a data structure.',
  details: 'FILE says what a healthy structure looks like (docs/shapes.md); NAME is one that comes with culprit. The recording is followed: where the structure must hold it is checked, and if it is broken there, the statements that made it so are listed. You stay where you are. Afterwards "info shape" says how the structure is here, and "watch shape" stops where it breaks for good.',
  examples: [['shape tree.shape', 'who broke the tree?'], ['shape doubly-linked-list', 'with a specification that comes with culprit']],
  async run(args, session) {
    if (args === '') throw new UserError('Usage: shape FILE | NAME');
    const { debugger: debug, readShape } = session;
    if (readShape === undefined) throw new UserError('specifications cannot be read from here');
    if (debug.branch !== undefined) throw new UserError('a branch is debugged: "branch drop" returns to the recording, which is what is looked at');
    const { path, items, fail } = readShape(args);
    const run = { execution: debug.recording, modules: debug.modules, sources: debug.sources };
    const lines = await session.working('following the structure', (work) => debug.aside(async () => {
      const gathered = await gatherHistory(run, questionOf(items), work);
      const { specification, problems } = bindShapes(items, gathered.types);
      if (problems.length > 0) fail(problems);
      LOADED.set(session, { path, specification, gathered });
      const { report } = await reportOf(run, specification, gathered, { program: session.commandLine[0] ?? '', specification: path, hasStacks: true });
      return shapeLines(report, (file, line) => session.sources.line(file, line));
    }));
    for (const line of lines) session.say(line);
  },
};

function loaded(session: Session): LoadedShape {
  const known = LOADED.get(session);
  if (known === undefined) throw new UserError('There is no specification: say "shape FILE" first.');
  return known;
}

export const INFO_SHAPE: Command = {
  name: 'shape', group: 'time', usage: 'info shape', completes: 'nothing', summary: 'How the data structure is here: its nodes, and what is inconsistent.',
  run(_args, session) {
    const { path, specification, gathered: { operations, lives } } = loaded(session);
    const { time } = session.debugger.position;
    const checker = new ShapeChecker(specification);
    for (let i = 0; i < operations.length && operations.at(i).time < time; i++) checker.apply(operations.at(i));
    const living = lives.filter(({ made, gone }) => made < time && gone >= time).length;
    const found = [...checker.inconsistencies().values()];
    session.say(`${path} at time ${time.toLocaleString('en')}: ${living} ${living === 1 ? 'node' : 'nodes'}, ${found.length === 0 ? 'nothing is inconsistent' : `${found.length} ${found.length === 1 ? 'inconsistency' : 'inconsistencies'}`}.`);
    for (const one of found.slice(0, MOST_TOLD)) for (const line of inconsistencyLines(inconsistencyOf(one, lives, ownMessage(one, checker)))) session.say(line);
    if (found.length > MOST_TOLD) session.say(`  and ${found.length - MOST_TOLD} more`);
  },
};

const MOST_DRAWN = 12;

export const GRAPH: Command = {
  name: 'graph', group: 'data', usage: 'graph [/N] EXPRESSION', completes: 'expression', repeat: 'never',
  summary: 'Draw what an expression points to: objects, and where their pointers lead.',
  details: 'As memory is here; at most 12 objects, or N of them. What leads to no memory is marked with !.',
  examples: [['graph root', 'a tree from its root on'], ['graph /40 *list', 'more of it']],
  run(args, session) {
    const [, most, expression = ''] = /^(?:\/(\d+)\s+)?(.*)$/s.exec(args) ?? [];
    if (expression.trim() === '') throw new UserError('Argument required (expression to draw).');
    const value = session.language.evaluated(expression);
    const { plain } = value;
    const type = plain.kind === 'pointer' || plain.kind === 'reference' ? plain.to : value.type;
    const address = plain.kind === 'pointer' || plain.kind === 'reference' ? session.language.number(expression) : value.address;
    if (address === undefined || strip(type).kind !== 'struct') throw new UserError(`${expression} is neither a structure in memory nor a pointer to one.`);
    if (address === 0n) return session.say('NULL');
    const picture = memoryPicture(type, Number(address), (at, bytes) => session.program.memory(BigInt(at), bytes), most === undefined ? MOST_DRAWN : Number(most));
    if (picture.nodes.length === 0) throw new UserError(`Cannot access memory at address 0x${address.toString(16)}`);
    for (const line of drawText(picture)) session.say(line);
  },
};

/** `watch shape [TYPE...]`: a breakpoint at the operations that break it for good. */
export function watchShape(args: string, session: Session): void {
  const { specification, gathered: { operations, points } } = loaded(session);
  const types = args.split(/[\s,]+/).filter((name) => name !== '');
  const unknown = types.find((name) => !specification.types.includes(name));
  if (unknown !== undefined) throw new UserError(`no constraint is about ${unknown}; there are ${specification.types.join(', ')}`);
  const breaks = lastingBreaks(specification, operations, points, types);
  if (breaks.length === 0) return session.say('The structure holds at all C-points: there is nothing to stop at.');
  const title = `shape ${types.join(' ')}`.trim();
  const point = session.debugger.addTimesBreakpoint(title, [...new Set(breaks.map(({ by }) => by.address))], new Set(breaks.map(({ time }) => time)));
  session.language.setVariable('bpnum', BigInt(point.number));
  const many = breaks.length === 1 ? 'once' : `${breaks.length} times`;
  session.say(`Breakpoint ${point.number}: ${title}, which breaks for good ${many}: ${breaks.slice(0, 3).map(({ time, constraints }) => `time ${time.toLocaleString('en')} (${constraints.join(', ')})`).join(', ')}`);
}
