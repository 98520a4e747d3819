/**
 * What if, for editors: requests of our own. The list of alterations is that of the debug console. Where a branch is
 * entered, the client is told as of any other stop.
 */
import { UserError } from '../../base/errors.js';
import type { Stop } from '../../debugger/control/stops.js';
import type { UserCheckpoint } from '../../debugger/control/userCheckpoints.js';
import type { Work } from '../../replay/timeline/work.js';
import { type Alteration, alterationText, parseAlteration } from '../../whatIf/alteration.js';
import type { AlterationCommands, AlterationOutcome, Entering } from '../../whatIf/alterationCommands.js';
import { comparisonLines } from '../../whatIf/comparisonText.js';
import type { Adapter } from '../adapter.js';
import type { Arguments } from '../arguments.js';
import type { Handler, Handlers, RequestContext } from '../handler.js';
import { placeIn } from '../statementIn.js';

/** `what` is done to a line, or to a function. */
const alter: Handler = async (adapter, args, request) => {
  const wanted = alterationIn(adapter, args);
  return changed(adapter, request, (commands, work) => commands.add(wanted, work));
};

const editAlteration: Handler = async (adapter, args, request) => {
  const [action, id] = [args.oneOf('action', ['on', 'off', 'delete']), args.integer('id')];
  if (action === undefined) throw new UserError('"action" has to be "on", "off" or "delete"');
  return changed(adapter, request, (commands, work) => commands.run('alteration', `${action} ${id}`, work));
};

const alterations: Handler = (adapter) => shownList(adapter);

/** Two runs: `a` and `b` as `compare` names them, by default recording and branch. `findings`: of rules, too. */
const compare: Handler = async (adapter, args, request) => {
  const { debug } = adapter;
  const words = [args.boolean('findings') ? '-findings' : undefined, args.optionalString('a'), args.optionalString('b')].filter((word) => word !== undefined);
  const { comparison, names } = await request.doing('Comparing', (work) => debug.aside(() => commandsOf(adapter).compare(words.join(' '), work)));
  return { names, comparison, text: comparisonLines(comparison, names).join('\n') };
};

const checkpoint: Handler = (adapter, args) => shownCheckpoint(adapter.debug.checkpoint(args.optionalString('name')));

const checkpoints: Handler = (adapter) => ({ checkpoints: adapter.debug.checkpoints.all.map(shownCheckpoint) });

const deleteCheckpoint: Handler = (adapter, args) => {
  const { checkpoints: known } = adapter.debug;
  known.delete(known.get(args.integer('id')));
};

/** Back to a checkpoint; what is altered is altered again from there on. */
const rollback: Handler = async (adapter, args, request) => {
  const { debug } = adapter;
  const id = args.integer('id');
  debug.checkpoints.get(id);
  const commands = commandsOf(adapter);
  const { list } = commands;
  const { stop, lines } = await request.doing('Rolling back', async (work) => {
    const back = await debug.rollback(id, work);
    if (back.kind === 'cancelled') return { stop: back, lines: [] };
    const { lines: said, entering } = await commands.rolledBack(list, work);
    return { stop: entering === undefined ? back : await enter(adapter, entering, work), lines: said };
  });
  request.afterwards(() => adapter.stopped(stop));
  for (const line of lines) adapter.say(line);
  return shownList(adapter);
};

function alterationIn(adapter: Adapter, args: Arguments): Alteration {
  const what = args.oneOf('what', ['switch', 'suppress']);
  if (what === undefined) throw new UserError('"what" has to be "switch" or "suppress"');
  const [name, which, to, value] = [args.optionalString('function'), args.value('which') ?? 'all', args.optionalString('to'), args.optionalString('value')];
  const place = name ?? placeIn(adapter, args);
  // What is written as a command is checked there; a path may be anything.
  const parsed = parseAlteration(what, `f ${String(which)}${to === undefined ? '' : ` to ${to}`}${value === undefined ? '' : ` = ${value}`}`);
  return { ...parsed, place };
}

function commandsOf(adapter: Adapter): AlterationCommands {
  void adapter.debug;
  return adapter.console.terminal.session.alterations;
}

async function changed(adapter: Adapter, request: RequestContext, change: (commands: AlterationCommands, work: Work) => Promise<AlterationOutcome>): Promise<object> {
  const commands = commandsOf(adapter);
  const stop = await request.doing('Altering', async (work) => {
    const { entering } = await change(commands, work);
    return entering === undefined ? undefined : enter(adapter, entering, work);
  });
  if (stop !== undefined) request.afterwards(() => adapter.stopped(stop));
  return shownList(adapter);
}

async function enter({ debug }: Adapter, { branch, history, position }: Entering, work: Work): Promise<Stop> {
  if (branch === undefined) return debug.branch === undefined ? debug.goTo(position, work) : debug.dropBranch();
  await debug.enterBranch(branch, history, work);
  return debug.goTo(position, work);
}

function shownList(adapter: Adapter): object {
  const { all } = commandsOf(adapter).list;
  const { branch } = adapter.debug;
  return { alterations: all.map(({ id, on, alteration }) => ({ id, on, text: alterationText(alteration) })), ...(branch === undefined ? {} : { branch: branch.start.time }) };
}

function shownCheckpoint({ id, name, position: { time }, branch, place }: UserCheckpoint): object {
  return { id, ...(name === undefined ? {} : { name }), time, place, ...(branch === undefined ? {} : { branch: branch.start.time }) };
}

export const alterationRequests: Handlers = {
  'culprit/alter': alter, 'culprit/alteration': editAlteration, 'culprit/alterations': alterations, 'culprit/compare': compare,
  'culprit/checkpoint': checkpoint, 'culprit/checkpoints': checkpoints, 'culprit/rollback': rollback, 'culprit/deleteCheckpoint': deleteCheckpoint,
};
