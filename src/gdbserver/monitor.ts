/**
 * `monitor` commands: what gdb has no words for. gdb does not notice when a program moves by itself; so what goes
 * elsewhere only says where the next step or continue is to end.
 */
import { bytePath, shownPath, textOfBytePath } from '../base/bytePath.js';
import { shellWord } from '../base/visible.js';
import { UserError } from '../base/errors.js';
import { type GuestAddr, guestAddr, hex } from '../base/types.js';
import { countInstances } from '../debugger/control/instances.js';
import { instanceText } from '../debugger/control/namedInstances.js';
import { namesInstance, parseStatement } from '../debugger/program/statementText.js';
import type { UserCheckpoint } from '../debugger/control/userCheckpoints.js';
import { branchEnding } from '../debugger/control/endings.js';
import type { ProgramView } from '../debugger/program/programView.js';
import { SLICE_COMMANDS } from '../slices/sliceCommands.js';
import { at, type Position } from '../replay/log/position.js';
import { type Hit, type MemoryRange, memoryRange } from '../replay/timeline/conditions.js';
import { ALTERATION_COMMANDS, type AlterationCommand } from '../whatIf/alterationCommands.js';
import type { Client } from './client.js';
import { callText } from './clientCalls.js';
import { sliceCommand } from './clientSlices.js';
import { why } from './endText.js';

interface MonitorCommand {
  readonly usage: string;
  readonly help: string;
  run(client: Client, args: readonly string[]): string | Promise<string>;
}

/** Of an address without a size. */
const DEFAULT_SIZE = 8;
const THEN = 'stepi goes there';

const COMMANDS: Readonly<Record<string, MonitorCommand>> = {
  help: { usage: 'help [COMMAND]', help: 'this list, or one command of it', run: (_client, [name]) => help(name) },
  when: { usage: 'when', help: 'the time here: instructions of all threads since the start of the recording', run: (client) => when(client) },
  goto: {
    usage: 'goto TIME|NAME|+N|-N|FILE:LINE#N|FUNCTION#N', help: 'go to a time, a bookmark, so many instructions on or back, or to the N-th time somewhere',
    run: async (client, [where]) => goTo(client, (await instanceNamed(client, where)) ?? positionNamed(client, where)),
  },
  instance: { usage: 'instance [FILE:LINE[.K]]', help: 'how often a line or statement was reached up to now, and which of these times this is', run: (client, [what]) => instance(client, what) },
  start: { usage: 'start', help: 'go to where the program begins', run: (client) => goTo(client, client.debuggee.process.begin) },
  end: { usage: 'end', help: 'go to where it ended or crashed', run: (client) => goTo(client, 'end') },
  last: { usage: 'last NAME|ADDRESS[:BYTES]', help: 'go to the last write to a variable or to memory', run: (client, [what]) => lastWrite(client, what) },
  next: { usage: 'next NAME|ADDRESS[:BYTES]', help: 'go to the next access to it', run: (client, [what]) => nextAccess(client, what) },
  freed: { usage: 'freed ADDRESS', help: 'go to where a block was freed that is no more (recordings of culprit check): there it can be looked at', run: (client, [what]) => freed(client, what) },
  bookmark: { usage: 'bookmark [NAME]', help: 'give this time a name', run: (client, [name]) => bookmark(client, name) },
  bookmarks: { usage: 'bookmarks', help: 'list them', run: ({ served }) => [...served.bookmarks].map(([name, { time }]) => `${name}: time ${grouped(time)}`).join('\n') || 'no bookmarks' },
  checkpoints: { usage: 'checkpoints', help: 'times from which replay starts quickly (those of yours: info checkpoints)', run: ({ served }) => (served.checkpointTimes?.() ?? []).map((time) => `time ${grouped(time)}`).join('\n') || 'none' },
  breakpoint: { usage: 'breakpoint FUNCTION [if CONDITION]', help: 'stop where a function is called, if argN == VALUE, ret == VALUE or write|read|access ADDRESS [SIZE]', run: (client, args) => breakpoint(client, args.join(' ')) },
  breakpoints: { usage: 'breakpoints', help: 'list those', run: ({ calls }) => calls.all.map((point) => `${point.number}: ${callText(point)}${point.enabled ? '' : ' (disabled)'}${point.hits === 0 ? '' : `, hit ${point.hits} times`}`).join('\n') || 'no breakpoints on calls or slices' },
  delete: { usage: 'delete N', help: 'delete one of those', run: ({ calls }, [number]) => (calls.table.delete(numberOf(number)), 'deleted') },
  enable: { usage: 'enable N', help: 'let it stop the program again', run: ({ calls }, [number]) => ((calls.table.get(numberOf(number)).enabled = true), 'enabled') },
  disable: { usage: 'disable N', help: 'let it not stop the program for now', run: ({ calls }, [number]) => ((calls.table.get(numberOf(number)).enabled = false), 'disabled') },
  checkpoint: { usage: 'checkpoint [NAME]', help: 'keep this place, and the branch if it is in one, to come back to it at once', run: (client, [name]) => checkpoint(client, name) },
  rollback: { usage: 'rollback ID|NAME', help: 'go back to such a place', run: (client, [which]) => rollback(client, which) },
  info: { usage: 'info checkpoints|slices|record|alterations', help: 'list those places, or slices, what slices look at, what is altered', run: (client, [what]) => info(client, what) },
  cdelete: { usage: 'cdelete ID|NAME', help: 'delete one', run: ({ checkpoints }, [which = '']) => (checkpoints.delete(checkpoints.get(which)), 'deleted') },
  ...Object.fromEntries(Object.entries(SLICE_COMMANDS).map(([name, { usage, summary }]) => [name, { usage, help: summary, run: (client: Client, args: readonly string[]) => sliceCommand(client, name, args) }])),
  ...Object.fromEntries(Object.entries(ALTERATION_COMMANDS).map(([name, { usage, summary }]) => [name, { usage, help: summary, run: ({ altered }: Client, args: readonly string[]) => altered.run(name as AlterationCommand, args) }])),
  threads: { usage: 'threads', help: 'all threads of all processes', run: (client) => threads(client) },
  processes: { usage: 'processes', help: 'all processes of the recording; to debug another one: detach, attach PID', run: (client) => processes(client) },
  branch: { usage: 'branch [drop]', help: 'the branch that writing has made; drop returns to the recording', run: (client, [what]) => branch(client, what) },
};

/** What to show. Throws a UserError for what is no such command. */
export async function monitor(client: Client, line: string): Promise<string> {
  const [word = '', ...args] = line.split(/\s+/);
  return commandNamed(word === '' ? 'help' : word).run(client, args);
}

/** As long as it is clear which is meant, its beginning will do. */
function commandNamed(word: string): MonitorCommand {
  const known = Object.keys(COMMANDS).filter((name) => name.startsWith(word));
  const command = known.includes(word) ? COMMANDS[word] : known.length === 1 ? COMMANDS[known[0] ?? ''] : undefined;
  if (command === undefined) throw new UserError(`${known.length > 1 ? 'ambiguous' : 'no such command'}: ${word}; there are ${Object.keys(COMMANDS).join(', ')}`);
  return command;
}

function help(name: string | undefined): string {
  const line = ({ usage, help: text }: MonitorCommand): string => `monitor ${usage.padEnd(26)} ${text}`;
  if (name !== undefined) return line(commandNamed(name));
  return [...Object.values(COMMANDS).map(line), 'What goes somewhere takes effect with the next command that moves the program: stepi.'].join('\n');
}

function grouped(time: number): string {
  return String(time).replace(/\B(?=(\d{3})+$)/g, ',');
}

function when({ debuggee }: Client): string {
  const { branch: known, position: { time }, execution: { endTime } } = debuggee;
  if (known === undefined) return `time ${grouped(time)} of ${grouped(endTime)}`;
  return `time ${grouped(time)}${known.end === undefined ? '' : ` of ${grouped(endTime)}`}, in a branch from time ${grouped(known.start.time)}`;
}

function goTo(client: Client, where: Position | 'end'): string {
  client.pending = where;
  return `${where === 'end' ? 'the end' : `time ${grouped(where.time)}`}: ${THEN}`;
}

async function instanceNamed({ served, debuggee, named, work }: Client, where: string | undefined): Promise<Position | undefined> {
  if (where === undefined || served.bookmarks.has(where) || !namesInstance(where)) return undefined;
  const run = named.runOf(debuggee.execution, debuggee.recording);
  return at((await named.reached(where, run, { before: debuggee.position, work })).time);
}

async function instance({ debuggee, generalThread, named, work }: Client, what: string | undefined): Promise<string> {
  const { execution, recording, position } = debuggee;
  const program = debuggee.programOf(generalThread);
  const run = named.runOf(execution, recording);
  const module = program?.moduleAt(program.pc);
  const here = program === undefined || module === undefined ? undefined : named.statementHere(run, generalThread, program.pc);
  const text = what === undefined ? undefined : parseStatement(what);
  if (what === undefined && here === undefined) throw new UserError('no debug information here: say FILE:LINE');
  if (what !== undefined && (text === undefined || text.instance !== undefined)) throw new UserError(`${what} is no statement: write FILE:LINE or FILE:LINE.K`);
  const statements = text === undefined ? (here ?? []) : [await named.statement(text, run, { currentPath: here?.[0]?.path, work })];
  const lines: string[] = [];
  for (const statement of statements) {
    const { count, standing } = await countInstances(run, statement, { position, thread: generalThread, pc: program?.pc ?? 0n }, work);
    lines.push(instanceText(statement, count, standing));
  }
  return lines.join('\n');
}

function positionNamed({ served, debuggee }: Client, where: string | undefined): Position {
  if (where === undefined) throw new UserError('say where to: a time, +N, -N or the name of a bookmark');
  const known = served.bookmarks.get(where);
  if (known !== undefined) return known;
  const [, sign, digits = ''] = /^([+-]?)([\d,_]+)$/.exec(where) ?? [];
  const number = Number(digits.replace(/[,_]/g, ''));
  if (digits === '' || !Number.isSafeInteger(number)) throw new UserError(`no time and no bookmark: ${where}`);
  const { time } = debuggee.position;
  const target = sign === '+' ? time + number : sign === '-' ? time - number : number;
  if (target < 0 || (debuggee.branch === undefined && target > debuggee.recording.endTime)) throw new UserError(`no such time: ${target}; the recording has times from 0 to ${debuggee.recording.endTime}`);
  return at(target);
}

function bookmark({ served, debuggee }: Client, name = String(served.bookmarks.size + 1)): string {
  served.bookmarks.set(name, debuggee.position);
  return `bookmark ${name}: time ${grouped(debuggee.position.time)}`;
}

async function breakpoint(client: Client, args: string): Promise<string> {
  const [, text = '', condition] = /^(.*?)(?:(?:^|\s+)if\b\s*(.*))?$/s.exec(args) ?? [];
  const point = await client.calls.add(text, condition, client.work);
  return `breakpoint ${point.number}: ${callText(point)}; continue and reverse-continue stop there`;
}

function numberOf(text: string | undefined): number {
  if (text === undefined || !/^\d+$/.test(text)) throw new UserError('say which: the number of a breakpoint, as "monitor breakpoints" lists them');
  return Number(text);
}

function checkpoint(client: Client, name: string | undefined): string {
  const { debuggee, generalThread } = client;
  const place = placeText(debuggee.programOf(generalThread), guestAddr(Number(debuggee.state.register(generalThread, 'rip') ?? 0n)));
  return checkpointText(client.checkpoints.make(name, place));
}

function checkpointText({ id, name, position: { time }, branch: inBranch, place }: UserCheckpoint): string {
  const where = inBranch === undefined ? '' : `, in a branch from time ${grouped(inBranch.start.time)}`;
  return `checkpoint ${id}${name === undefined ? '' : ` (${name})`}: time ${grouped(time)}${where}, ${place}`;
}

function rollback(client: Client, which = ''): string {
  const found = client.checkpoints.get(which);
  client.pending = found;
  return `${checkpointText(found)}; ${THEN}`;
}

async function info(client: Client, what: string | undefined): Promise<string> {
  if (what === 'slices' || what === 'record') return sliceCommand(client, `info ${what}`, []);
  if (what === 'alterations') return client.altered.lines.join('\n');
  if (what !== 'checkpoints') throw new UserError('say what: info checkpoints, info slices, info record or info alterations');
  const { checkpoints } = client;
  return checkpoints.all.map(checkpointText).join('\n') || 'no checkpoints';
}

function rangeNamed(client: Client, what: string | undefined): MemoryRange {
  const [, name = '', size] = /^([^:]+)(?::(\d+))?$/.exec(what ?? '') ?? [];
  if (name === '' || size === '0') throw new UserError('say what: a global variable, or ADDRESS:BYTES');
  const isAddress = /^0x[0-9a-f]{1,12}$/i.test(name);
  const program = isAddress ? undefined : client.debuggee.programOf(client.generalThread);
  const symbol = program?.symbols.named(name).find(({ kind }) => kind !== 'threadLocal');
  if (!isAddress && symbol === undefined) throw new UserError(`no such variable: ${name}; give an address, as in 0x4c6310:4`);
  const start = guestAddr(Number(symbol?.address ?? name));
  return memoryRange(start, Number(size ?? symbol?.size ?? DEFAULT_SIZE));
}

async function lastWrite(client: Client, what: string | undefined): Promise<string> {
  const { execution } = client.debuggee;
  const hit = await execution.lastWrite([rangeNamed(client, what)], undefined, client.work);
  return found(client, hit, `nobody wrote to ${what} before`);
}

async function nextAccess(client: Client, what: string | undefined): Promise<string> {
  const { execution } = client.debuggee;
  const hit = await execution.nextAccess([rangeNamed(client, what)], undefined, client.work);
  return found(client, hit, `nobody accesses ${what} after this`);
}

/**
 * In a checked run the address of a freed block leads nowhere, and gdb cannot be told more about it than its bytes:
 * right before it was freed gdb sees everything itself.
 */
async function freed(client: Client, what: string | undefined): Promise<string> {
  const { start } = rangeNamed(client, what);
  const { execution } = client.debuggee;
  const isKnown = execution.blocksAt([start], execution.position.time).size > 0;
  const hit = isKnown ? await execution.lastBlock(start, undefined, client.work) : undefined;
  if (hit?.block === undefined) return `no block that has addresses of its own was at ${what} before`;
  const { how, view: { begin, size } } = hit.block;
  return how === 'made' ? `the block of ${size} bytes at ${hex(begin)} is there` : `the block of ${size} bytes at ${hex(begin)} was freed: ${found(client, hit, '')}`;
}

function found(client: Client, hit: Hit | undefined, otherwise: string): string {
  if (hit === undefined) return otherwise;
  client.pending = hit.position;
  const { debuggee, generalThread } = client;
  const thread = debuggee.state.threads.find(({ id }) => id === hit.task);
  const place = placeText(debuggee.programOf(hit.task) ?? debuggee.programOf(generalThread), hit.rip);
  const by = hit.access?.by === 'kernel' ? ', by the kernel' : '';
  return `time ${grouped(hit.position.time)}: thread ${thread?.tid ?? '?'} before ${place}${by}; ${THEN}`;
}

/** "0x401136 <symbol+0x1c> (program)", or as much of it as can be known. */
function placeText(program: ProgramView | undefined, address: GuestAddr): string {
  const mapping = program?.state.mappingAt(program.thread.id, address);
  if (program === undefined || mapping === undefined) return hex(address);
  const near = program.symbols.at(BigInt(address));
  const offset = near === undefined || near.offset === 0 ? '' : `+${hex(near.offset)}`;
  const file = mapping.name.slice(mapping.name.lastIndexOf('/') + 1);
  return `${hex(address)}${near === undefined ? '' : ` <${near.symbol.name}${offset}>`}${file === '' ? '' : ` (${shownPath(file)})`}`;
}

function threads({ debuggee }: Client): string {
  const { state } = debuggee;
  return state.threads
    .map(({ id, pid, tid, name }) => {
      const place = placeText(debuggee.programOf(id), guestAddr(Number(state.register(id, 'rip') ?? 0n)));
      return `${state.current?.id === id ? '*' : ' '} process ${pid} thread ${tid} "${name}" ${place}`;
    })
    .join('\n');
}

function processes({ served, debuggee }: Client): string {
  return served.processes
    .map((process) => {
      const { pid, args, exe, begin, end, isReplaced, signal, code } = process;
      const ending = end === undefined ? 'does not end' : isReplaced ? `executes another program at ${grouped(end.time)}` : signal === 0 ? `exits with ${code} at ${grouped(end.time)}` : `is killed by signal ${signal} at ${grouped(end.time)}`;
      return `${process === debuggee.process ? '*' : ' '} ${pid} from ${grouped(begin.time)}, ${ending}: ${(args.length === 0 ? [exe] : args).map((word) => shellWord(textOfBytePath(bytePath(word)))).join(' ')}`;
    })
    .join('\n');
}

function branch(client: Client, what: string | undefined): string {
  const { branch: known } = client.debuggee;
  if (known === undefined) return 'no branch: this is the recording; writing to a variable or register makes one';
  if (what === 'drop') {
    client.pending = 'recording';
    return `back to the recording at time ${grouped(known.start.time)}: ${THEN}`;
  }
  const end = known.end === undefined ? [] : [`it ends at time ${grouped(known.endTime)}${why(branchEnding(known.end))}`];
  return [`a branch from time ${grouped(known.start.time)}`, ...end, ...known.warnings].join('\n');
}
