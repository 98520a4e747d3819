/**
 * What depended on what, for editors: requests of our own. Slices are those of the debug console's `slice`, with the
 * same numbers.
 */
import { UserError } from '../../base/errors.js';
import { namesIn } from '../../slices/placeNames.js';
import type { SliceCommands } from '../../slices/sliceCommands.js';
import type { SliceOptions } from '../../slices/slices.js';
import type { NumberedSlice } from '../../slices/sliceTable.js';
import { at } from '../../replay/log/position.js';
import type { Work } from '../../replay/timeline/work.js';
import type { Adapter } from '../adapter.js';
import type { Arguments } from '../arguments.js';
import type { Handler, Handlers, RequestContext } from '../handler.js';
import { namedValue } from '../namedValue.js';
import { shownPlace, sliceBody } from '../sliceBody.js';
import { statementIn } from '../statementIn.js';

/** Of a line, or a variable or expression, or, if neither is named, of the crash or the line where it stands. */
const slice: Handler = async (adapter, args, request) => {
  const direction = args.oneOf('direction', ['backward', 'forward']) ?? 'backward';
  const words = [...(args.has('source') ? [statementIn(adapter, args)] : []), ...thingsIn(adapter, args)];
  const options = optionsIn(args);
  if (direction === 'forward' && (words.length !== 1 || !args.has('source'))) throw new UserError('what a line had an influence on: name the line, and nothing else');
  return answered(adapter, request, 'Slicing', ({ table }, work) => (direction === 'forward' ? table.forward(words[0] as string, options, work) : table.backward(words, options, work)));
};

/** Without what is due to variables, registers, lines or functions. */
const prune: Handler = async (adapter, args, request) => {
  const id = String(args.integer('id'));
  return answered(adapter, request, 'Pruning', ({ table }, work) => table.prune(id, args.strings('things'), work));
};

/** One that was made before. */
const showSlice: Handler = async (adapter, args, request) => {
  const id = args.optionalInteger('id');
  return answered(adapter, request, 'Slicing', async ({ table }) => (id === undefined ? table.last : table.get(String(id))));
};

const slices: Handler = (adapter) => ({
  slices: commandsOf(adapter).table.all.map(({ number: id, slice: { title, members, instances } }) => ({ id, title, lines: members.length, instances })),
});

const deleteSlice: Handler = (adapter, args) => commandsOf(adapter).table.delete(String(args.integer('id')));

/** What the line where it stands depends on, this time: each is an instance to go to by its time. */
const dependences: Handler = async (adapter, _args, request) => {
  const { debug } = adapter;
  const { statement, number, all } = await request.doing('Looking for dependences', (work) => debug.aside(() => commandsOf(adapter).dependencesHere(work)));
  return {
    ...shownPlace(adapter, { ...statement, functionName: undefined }), instance: number,
    dependences: all.map((one) => ({ ...shownPlace(adapter, one), kind: one.kind, time: one.time, ...(one.due === undefined ? {} : { due: one.due }), ...(one.number === undefined ? {} : { instance: one.number }) })),
  };
};

/** To the next or previous instance of a slice. */
const stepInSlice: Handler = async (adapter, args, request) => {
  const { debug } = adapter;
  const name = args.oneOf('direction', ['forward', 'backward']) === 'backward' ? 'rsstep' : 'sstep';
  const id = args.optionalInteger('id');
  const { goTo, lines } = await request.doing('Looking for instances', (work) => debug.aside(() => commandsOf(adapter).run(name, id === undefined ? '' : String(id), work)));
  if (goTo !== undefined) request.afterwards(() => adapter.motion.start({ title: `Going to time ${goTo}`, request: request.seq, move: (work) => debug.goTo(at(goTo), work) }));
  return { text: lines.join('\n') };
};

/** A breakpoint at the very instances of a slice. */
const breakOnSlice: Handler = async (adapter, args, request) => {
  const { debug } = adapter;
  const id = args.integer('id');
  const { stops } = await request.doing('Looking for instances', (work) => debug.aside(() => commandsOf(adapter).run('sbreak', `${id} all`, work)));
  if (stops === undefined) throw new UserError(`slice ${id} has no instances to stop at`);
  const addresses = [...new Set(stops.arrivals.flatMap((one) => one.addresses))].sort((a, b) => a - b);
  const { number } = debug.addTimesBreakpoint(stops.title, addresses, new Set(stops.arrivals.map(({ time }) => time)));
  return { breakpoint: number, instances: stops.arrivals.length };
};

function commandsOf(adapter: Adapter): SliceCommands {
  void adapter.debug;
  return adapter.console.terminal.session.slices;
}

async function answered(adapter: Adapter, request: RequestContext, title: string, make: (commands: SliceCommands, work: Work) => Promise<NumberedSlice>): Promise<object> {
  const { debug } = adapter;
  const commands = commandsOf(adapter);
  const { made, nameOf } = await request.doing(title, (work) => debug.aside(async () => {
    const found = await make(commands, work);
    return { made: found, nameOf: await namesIn(found.slice, debug, work) };
  }));
  return sliceBody(adapter, made, nameOf);
}

function thingsIn(adapter: Adapter, args: Arguments): string[] {
  if (!args.has('expression') && !args.has('variablesReference')) return [];
  const { expression, at: frame } = namedValue(adapter, args, 'expression');
  if (frame !== undefined) adapter.select(frame);
  return [expression];
}

function optionsIn(args: Arguments): SliceOptions {
  const kind = args.oneOf('kind', ['data', 'control']);
  return { ...(kind === undefined ? {} : { kind }), intoLibraries: args.boolean('intoLibraries'), frames: args.boolean('frames') };
}

export const sliceRequests: Handlers = {
  'culprit/slice': slice, 'culprit/prune': prune, 'culprit/showSlice': showSlice, 'culprit/slices': slices, 'culprit/deleteSlice': deleteSlice,
  'culprit/dependences': dependences, 'culprit/stepInSlice': stepInSlice, 'culprit/breakOnSlice': breakOnSlice,
};
