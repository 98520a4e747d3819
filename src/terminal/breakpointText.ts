/** Breakpoints in words. */
import type { Breakpoint, CallBreakpoint, Catchpoint, LocationBreakpoint, Watchpoint } from '../debugger/control/breakpoints.js';
import type { CodeLocation } from '../debugger/program/location.js';
import { SYSCALL_NAMES } from '../base/syscallNames.js';
import { hex, wideHex } from './frameText.js';
import type { Session } from './session.js';
import { gdbSignalName } from './signalWords.js';

/** `Breakpoint 1 at 0x1139: file a.c, line 5.` */
export function sayBreakpoint(point: LocationBreakpoint, session: Session): void {
  const kind = point.temporary ? 'Temporary breakpoint' : 'Breakpoint';
  const [first] = point.places;
  if (first === undefined) {
    session.say(`${kind} ${point.number} (${point.text}) pending.`);
    return;
  }
  const { location } = first;
  const others = otherBreakpointsAt(point, location.address, session);
  if (others !== undefined) session.say(others);
  if (point.places.length > 1) session.say(`${kind} ${point.number} at ${hex(location.address)}: ${point.text}. (${point.places.length} locations)`);
  else if (location.line === 0) session.say(`${kind} ${point.number} at ${hex(location.address)}`);
  else session.say(`${kind} ${point.number} at ${hex(location.address)}: file ${session.shownName(location.fileName, location.path)}, line ${location.line}.`);
}

function otherBreakpointsAt(point: LocationBreakpoint, address: bigint, { debugger: { breakpoints } }: Session): string | undefined {
  const others = breakpoints.all.filter((other): other is LocationBreakpoint => {
    return other.kind === 'breakpoint' && other.number !== point.number && other.places.some(({ location }) => location.address === address);
  }).map(({ number, enabled }) => `${number}${enabled ? '' : ' (disabled)'}`);
  if (others.length === 0) return undefined;
  const last = others.pop() as string;
  const list = others.length === 0 ? ` ${last}` : `s ${others.join(', ')}${others.length > 1 ? ',' : ''} and ${last}`;
  return `Note: breakpoint${list} also set at pc ${hex(address)}.`;
}

/** `Breakpoint 2 at calls of free: 0x7ffff7e5a3e0` */
export function callTitle({ number, temporary, text, entries }: CallBreakpoint): string {
  const [first = 0, ...others] = entries;
  return `${temporary ? 'Temporary breakpoint' : 'Breakpoint'} ${number} at calls of ${text}: ${hex(BigInt(first))}${others.length === 0 ? '' : ` and ${others.length} more`}`;
}

/** `Hardware watchpoint 2: x` */
export function watchTitle({ access, number, expression, title = expression }: Watchpoint): string {
  const kind = { write: 'Hardware watchpoint', read: 'Hardware read watchpoint', access: 'Hardware access (read/write) watchpoint' }[access];
  return `${kind} ${number}: ${title}`;
}

/** `Catchpoint 3 (syscall 'write' [1])` */
export function catchTitle({ number, caught }: Catchpoint): string {
  return `Catchpoint ${number} (${catchWords(caught)})`;
}

function catchWords(caught: Catchpoint['caught']): string {
  switch (caught.what) {
    case 'syscall': {
      const names = caught.numbers.map((n) => `'${SYSCALL_NAMES[n] ?? 'unknown'}' [${n}]`);
      return names.length === 0 ? 'any syscall' : `${names.length === 1 ? 'syscall' : 'syscalls'} ${names.join(' ')}`;
    }
    case 'signal': return caught.numbers.length === 0 ? 'standard signals' : `${caught.numbers.length === 1 ? 'signal' : 'signals'} ${caught.numbers.map(gdbSignalName).join(' ')}`;
    default: return caught.what;
  }
}

/** The table of `info breakpoints`. */
export function breakpointTable(points: readonly Breakpoint[], session: Session): string {
  if (points.length === 0) return 'No breakpoints or watchpoints.\n';
  const width = Math.max(14, ...points.map((point) => kindOf(point).length)) + 1;
  const rows = points.map((point) => row(point, width, session)).join('');
  return `Num     ${'Type'.padEnd(width)}Disp Enb Address            What\n${rows}`;
}

function kindOf(point: Breakpoint): string {
  return point.kind === 'watchpoint' ? { write: 'hw watchpoint', read: 'read watchpoint', access: 'acc watchpoint' }[point.access] : point.kind;
}

function row(point: Breakpoint, width: number, session: Session): string {
  const head = `${String(point.number).padEnd(8)}${kindOf(point).padEnd(width)}${point.temporary ? 'del ' : 'keep'} ${point.enabled ? 'y' : 'n'}  `;
  return `${head} ${whatText(point, session)}\n${details(point)}${places(point, width, session)}`;
}

function whatText(point: Breakpoint, session: Session): string {
  if (point.kind === 'watchpoint') return `${' '.repeat(19)}${point.title ?? point.expression}`;
  if (point.kind === 'catchpoint') return `${' '.repeat(19)}${tableWords(point.caught)}`;
  if (point.kind === 'call') return `${(point.entries.length > 1 ? '<MULTIPLE>' : wideHex(BigInt(point.entries[0] ?? 0))).padEnd(19)}calls of ${point.text}`;
  const [first] = point.places;
  if (first === undefined) return `${'<PENDING>'.padEnd(19)}${point.text}`;
  return point.places.length > 1 ? '<MULTIPLE>'.padEnd(19) : locationText(first.location, session);
}

function tableWords(caught: Catchpoint['caught']): string {
  switch (caught.what) {
    case 'syscall': return caught.numbers.length === 0 ? 'syscall "<any syscall>" ' : `syscall${caught.numbers.length === 1 ? '' : 's'} "${caught.numbers.map((n) => SYSCALL_NAMES[n] ?? n).join(', ')}" `;
    case 'signal': return `signal "${caught.numbers.length === 0 ? '<standard signals>' : caught.numbers.map(gdbSignalName).join(' ')}" `;
    case 'throw': case 'catch': case 'rethrow': return `exception ${caught.what}`;
    default: return caught.what;
  }
}

function locationText({ address, functionName, fileName, path, line }: CodeLocation, session: Session): string {
  const at = line === 0 ? `<${functionName ?? '??'}${symbolOffset(address, session)}>` : `in ${functionName ?? '??'} at ${session.shownName(fileName, path)}:${line}`;
  return `${wideHex(address)} ${at}`;
}

function symbolOffset(address: bigint, session: Session): string {
  const offset = session.debugger.program()?.symbols.at(address)?.offset ?? 0;
  return offset === 0 ? '' : `+${offset}`;
}

function details(point: Breakpoint): string {
  const times = point.hits === 1 ? '1 time' : `${point.hits} times`;
  return [
    point.condition === undefined ? '' : `\tstop only if ${point.condition}\n`,
    point.thread === undefined ? '' : `\tstop only in thread ${point.thread}\n`,
    point.hits === 0 ? '' : `\t${point.kind === 'catchpoint' ? 'catchpoint' : 'breakpoint'} already hit ${times}\n`,
    point.ignore === 0 ? '' : `\tignore next ${point.ignore} hits\n`,
    ...point.commands.map((line) => `        ${line}\n`),
  ].join('');
}

function places(point: Breakpoint, width: number, session: Session): string {
  if (point.kind !== 'breakpoint' || point.places.length < 2) return '';
  return point.places.map(({ location, enabled }, i) => `${`${point.number}.${i + 1}`.padEnd(width + 13)}${enabled ? 'y' : 'n'}   ${locationText(location, session)}\n`).join('');
}
