/** Requests about what to stop at. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { UserError } from '../../base/errors.js';
import type { Breakpoint } from '../../debugger/control/breakpoints.js';
import { isCallCondition } from '../../debugger/control/calls/callCondition.js';
import type { Debugger } from '../../debugger/control/debugger.js';
import { type CodeLocation, LocationNotFound } from '../../debugger/program/location.js';
import type { Adapter } from '../adapter.js';
import type { Arguments } from '../arguments.js';
import type { BreakpointRequest } from '../breakpoints.js';
import { exceptionRequests } from '../exceptions.js';
import type { Body, Handler, Handlers } from '../handler.js';
import { hitCondition } from '../hitCondition.js';
import { parseAddress } from '../addresses.js';
import { seeing } from '../valueViews.js';

const setBreakpoints: Handler = (adapter, args) => {
  const source = args.object('source');
  const path = source.optionalString('path') ?? source.optionalString('name');
  if (path === undefined) throw new UserError('setBreakpoints: "source" has no path');
  const shown: DebugProtocol.Source = { path, ...(source.has('name') ? { name: source.string('name') } : {}) };
  const wanted = args.list('breakpoints');
  const requests = wanted.map((one): BreakpointRequest => {
    const line = adapter.client.fromLine(one.integer('line'));
    return { ...locationRequest(adapter, one, `${adapter.sources.inProgram(path)}:${line}`, () => linesIn(adapter, path, line)), reason: 'breakpoint', line, source: shown };
  });
  return replaced(adapter, `source ${path}`, requests);
};

const setFunctionBreakpoints: Handler = async (adapter, args) => {
  const requests: BreakpointRequest[] = [];
  for (const one of args.list('breakpoints')) {
    const name = one.string('name');
    const condition = nonEmpty(one.optionalString('condition'));
    if (condition !== undefined && isCallCondition(condition)) requests.push(await callRequest(adapter, one, name, condition));
    else requests.push({ ...locationRequest(adapter, one, name, () => adapter.programs.resolve(name)), reason: 'function breakpoint' });
  }
  return replaced(adapter, 'function', requests);
};

const setInstructionBreakpoints: Handler = (adapter, args) => {
  const requests = args.list('breakpoints').map((one): BreakpointRequest => {
    const address = parseAddress(one.string('instructionReference')) + BigInt(one.optionalInteger('offset') ?? 0);
    const place = (): CodeLocation[] => {
      const found = adapter.programs.at(address);
      if (found === undefined) throw new LocationNotFound(`there is no code at 0x${address.toString(16)}`);
      return [found];
    };
    return { ...locationRequest(adapter, one, `*0x${address.toString(16)}`, place), reason: 'instruction breakpoint' };
  });
  return replaced(adapter, 'instruction', requests);
};

const setExceptionBreakpoints: Handler = (adapter, args) => {
  const options = args.list('filterOptions').map((one) => ({ id: one.string('filterId'), condition: one.optionalString('condition') }));
  const requests = exceptionRequests([...args.strings('filters').map((id) => ({ id, condition: undefined })), ...options]);
  return replaced(adapter, 'exception', requests);
};

const breakpointLocations: Handler = (adapter, args): Body<DebugProtocol.BreakpointLocationsResponse> => {
  const path = args.object('source').string('path');
  const { client } = adapter;
  const first = client.fromLine(args.integer('line'));
  const last = Math.min(client.fromLine(args.optionalInteger('endLine') ?? args.integer('line')), first + MOST_LINES);
  const breakpoints: DebugProtocol.BreakpointLocation[] = [];
  for (let line = first; line <= last; line++) {
    if (hasCode(adapter, path, line)) breakpoints.push({ line: client.line(line) });
  }
  return { breakpoints };
};

const MOST_LINES = 1000;

function hasCode(adapter: Adapter, path: string, line: number): boolean {
  try {
    return linesIn(adapter, path, line).some((place) => place.line === line);
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  }
}

/** The client's path may not be the compiler's: then a file of that name will do, if there is only one. */
export function linesIn(adapter: Adapter, path: string, line: number): CodeLocation[] {
  const { programs, sources } = adapter;
  try {
    return programs.resolve(`${sources.inProgram(path)}:${line}`);
  } catch (error) {
    if (!(error instanceof LocationNotFound)) throw error;
    const byName = programs.filesNamed(path.slice(path.lastIndexOf('/') + 1));
    if (byName.length !== 1 || byName[0] === path) throw error;
    return programs.resolve(`${byName[0]}:${line}`);
  }
}

function locationRequest(adapter: Adapter, one: Arguments, text: string, places: () => CodeLocation[]): Pick<BreakpointRequest, 'key' | 'make' | 'places'> {
  const condition = nonEmpty(one.optionalString('condition'));
  const hits = nonEmpty(one.optionalString('hitCondition'));
  const log = nonEmpty(one.optionalString('logMessage'));
  return {
    key: JSON.stringify([text, condition, hits, log]),
    places,
    make: (debug: Debugger): Breakpoint => {
      const counted = hits === undefined ? {} : hitCondition(hits);
      const logged = log === undefined ? {} : { log: adapter.logPoints.of(log) };
      return debug.breakpoints.addLocation(text, unlessNotFound(places), { condition, ...counted, ...logged });
    },
  };
}

/** Stops where the function is called, if the call is so: `arg1 == 0x4052a0`. */
async function callRequest(adapter: Adapter, one: Arguments, name: string, condition: string): Promise<BreakpointRequest> {
  const hits = nonEmpty(one.optionalString('hitCondition'));
  const options = { condition, ...(hits === undefined ? {} : hitCondition(hits)) };
  const meant = await adapter.motion.whileStill(() => unlessMistaken(adapter.program.debug.callsMeant(name, condition)));
  const make = (debug: Debugger): Breakpoint => {
    if (meant instanceof UserError) throw meant;
    return debug.breakpoints.addCall(meant, options);
  };
  return { key: JSON.stringify(['call', name, condition, hits]), reason: 'function breakpoint', make };
}

async function unlessMistaken<T>(result: Promise<T>): Promise<T | UserError> {
  return result.catch((error: unknown) => {
    if (error instanceof UserError) return error;
    throw error;
  });
}

/** What is nowhere now may come: the debugger looks for it when it runs. */
function unlessNotFound(places: () => CodeLocation[]): CodeLocation[] {
  try {
    return places();
  } catch (error) {
    if (error instanceof LocationNotFound) return [];
    throw error;
  }
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text;
}

async function replaced(adapter: Adapter, group: string, requests: readonly BreakpointRequest[]): Promise<{ breakpoints: DebugProtocol.Breakpoint[] }> {
  return adapter.motion.whileStill(() => ({ breakpoints: adapter.breakpoints.replace(group, requests) }));
}

const dataBreakpointInfo: Handler = async (adapter, args, request): Promise<Body<DebugProtocol.DataBreakpointInfoResponse>> => (await seeing(adapter, request, () => adapter.dataBreakpoints.info(args))).seen;

const setDataBreakpoints: Handler = (adapter, args) => replaced(adapter, 'data', args.list('breakpoints').map((one) => adapter.dataBreakpoints.request(one)));

export const breakpointRequests: Handlers = { setBreakpoints, setFunctionBreakpoints, setInstructionBreakpoints, setExceptionBreakpoints, breakpointLocations, dataBreakpointInfo, setDataBreakpoints };
