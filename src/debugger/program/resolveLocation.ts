/**
 * From what people write to places in code, as gdb's linespecs: `file.c:12`, `12`, `+3`, `function`, `file.c:function`,
 * `*0x1234`, `*expression`. Names may be qualified or not, and mean all functions and copies of that name in all
 * modules.
 */
import { UserError } from '../../base/errors.js';
import { type BreakpointPlace, placesOfFunction, placesOfLine } from '../../dwarf/breakpointPlaces.js';
import type { DebugInfo } from '../../dwarf/debugInfo.js';
import { unlessCorrupt } from '../../dwarf/dwarfError.js';
import { findFunctions } from '../../dwarf/functionNames.js';
import type { Scope } from '../../dwarf/scope.js';
import { scopesAt, sourceFrames } from '../../dwarf/sourceFrames.js';
import { fullFunctionName } from './functionNames.js';
import { type CodeLocation, type LocationContext, LocationNotFound } from './location.js';
import { afterEntry } from './prologueEnd.js';
import type { LoadedModule } from './modules.js';
import type { ProgramView } from './programView.js';

/** Throws a UserError for what makes no sense, a LocationNotFound for what is not there. */
export function resolveLocation(text: string, context: LocationContext): CodeLocation[] {
  const written = text.trim();
  if (written === '') return [hereOf(context)];
  if (written.startsWith('*')) return [locationAt(context.program, addressOf(written.slice(1).trim(), context))];
  if (/^[+-]?\d+$/.test(written)) return linesNearby(written, context);
  const inFile = /^(.*[^:]):(\d+)$/.exec(written);
  if (inFile !== null) return linesIn(unquoted(inFile[1] as string), Number(inFile[2]), context.program);
  return functionsNamed(written, context.program);
}

/** The same, but nothing if there is none. */
export function placesIn(text: string, program: ProgramView): CodeLocation[] {
  try {
    return resolveLocation(text, { program });
  } catch (error) {
    if (error instanceof UserError) return [];
    throw error;
  }
}

/** What is known of an address of code. */
export function locationAt(program: ProgramView, address: bigint): CodeLocation {
  const module = program.moduleAt(address);
  const info = module?.info;
  const call = module === undefined || info === undefined ? undefined : unlessCorrupt(() => sourceFrames(info, Number(address - module.bias))[0], () => undefined);
  return {
    address, module, functionName: (call === undefined ? undefined : fullFunctionName(call.scope, module)) ?? program.symbols.at(address)?.symbol.name,
    fileName: call?.file?.shownName, path: call?.file?.path, line: call?.line ?? 0, scope: call?.scope,
  };
}

function hereOf({ frame, program }: LocationContext): CodeLocation {
  if (frame === undefined) throw new UserError('No default breakpoint address now.');
  return locationAt(program, frame.pc);
}

function addressOf(expression: string, context: LocationContext): bigint {
  if (/^(0x[\da-f]+|\d+)$/i.test(expression)) return BigInt(expression);
  if (context.evaluateAddress === undefined) throw new UserError(`not a number: ${expression}`);
  return context.evaluateAddress(expression);
}

function linesNearby(written: string, { frame, listed, program }: LocationContext): CodeLocation[] {
  const path = frame?.path ?? listed?.path;
  const line = frame?.path === undefined ? (listed?.line ?? 0) : frame.line;
  if (path === undefined) throw new UserError('No symbol table is loaded.  Use the "file" command.');
  return linesIn(path, /^\d/.test(written) ? Number(written) : line + Number(written), program);
}

function linesIn(file: string, line: number, program: ProgramView): CodeLocation[] {
  let isKnown = false;
  const found = program.modules.all.flatMap((module) => {
    const { info } = module;
    if (info === undefined || unlessCorrupt(() => info.sources.find(file).length, () => 0) === 0) return [];
    isKnown = true;
    return fromPlaces(module, unlessCorrupt(() => placesOfLine(info, file, line, module.file.readCode), () => []));
  });
  if (!isKnown) throw new LocationNotFound(`No source file named ${file}.`);
  if (found.length === 0) throw new LocationNotFound(`No line ${line} in file "${file}".`);
  return found;
}

function functionsNamed(written: string, program: ProgramView): CodeLocation[] {
  const apart = splitFile(written, program);
  const name = unquoted(apart.name);
  const found = program.modules.all.flatMap((module) => {
    const { info } = module;
    if (info === undefined) return [];
    const places = fromPlaces(module, unlessCorrupt(() => functionPlaces(info, name, module), () => []));
    return apart.file === undefined ? places : places.filter((place) => isNamedFile(place.path, apart.file as string));
  });
  const all = apart.file === undefined ? withSymbols(name, found, program) : found;
  if (all.length > 0) return all;
  if (apart.file !== undefined) throw new LocationNotFound(`Function "${name}" not defined in "${apart.file}".`);
  throw new LocationNotFound(program.modules.all.some(({ info }) => info !== undefined) || /\w/.test(name) ? `Function "${name}" not defined.` : 'No symbol table is loaded.  Use the "file" command.');
}

/** The function that a resolver has chosen, or the resolver if it has not run yet. */
function chosen(name: string, resolver: bigint, program: ProgramView): bigint[] {
  const targets = program.linkage.indirectTargets(name, resolver);
  return targets.length > 0 ? targets : [resolver];
}

/** With the function or copy that is meant as scope, though another call may have been inlined at its very start. */
function functionPlaces(info: DebugInfo, name: string, module: LoadedModule): BreakpointPlace[] {
  const wanted = new Set(findFunctions(info, name).map((die) => die.offset));
  const isMeant = (scope: Scope): boolean => scope.kind !== 'block' && (wanted.has(scope.die.offset) || wanted.has(scope.function.origin.offset));
  return placesOfFunction(info, name, module.file.readCode).map((place) => ({ ...place, scope: scopesAt(info, place.address).find(isMeant) ?? place.scope }));
}

/** Functions of modules without debug information; those that have it are known by it. */
function withSymbols(name: string, found: readonly CodeLocation[], program: ProgramView): CodeLocation[] {
  const described = new Set(found.map(({ module }) => module));
  const symbols = program.symbols.named(name).filter((symbol) => (symbol.kind === 'function' || symbol.kind === 'indirectFunction') && symbol.size > 0 && !described.has(symbol.module));
  const entries = symbols.flatMap((symbol) => (symbol.kind === 'function' ? [symbol.address] : chosen(name, symbol.address, program)));
  return [...found, ...[...new Set(entries)].map((address) => locationAt(program, afterEntry(program, address)))];
}

function fromPlaces(module: LoadedModule, places: readonly BreakpointPlace[]): CodeLocation[] {
  return places.map(({ address, scope, line }) => {
    const { info } = module;
    const file = info === undefined ? undefined : fileOf(module, address, line);
    return {
      address: BigInt(address) + module.bias, module, functionName: scope === undefined ? undefined : fullFunctionName(scope, module),
      fileName: file?.shownName, path: file?.path, line, scope,
    };
  });
}

/** At the start of an inlined copy the program stands at the call, which may be in another file. */
function fileOf({ info }: LoadedModule, address: number, line: number): { readonly shownName: string; readonly path: string } | undefined {
  if (info === undefined) return undefined;
  const calls = sourceFrames(info, address);
  return (calls.find((call) => call.line === line) ?? calls[0])?.file ?? scopesAt(info, address)[0]?.function.declaration?.file;
}

/** `file.c:function`; but `A::f` is one name. */
function splitFile(written: string, program: ProgramView): { readonly file?: string; readonly name: string } {
  const match = /^((?:'[^']*'|"[^"]*"|[^:\s(<])+):(?!:)\s*(.+)$/.exec(written);
  if (match === null) return { name: written };
  const file = unquoted(match[1] as string);
  const isKnown = program.modules.all.some(({ info }) => info !== undefined && unlessCorrupt(() => info.sources.find(file).length, () => 0) > 0);
  if (!isKnown) throw new LocationNotFound(`No source file named ${file}.`);
  return { file, name: match[2] as string };
}

function isNamedFile(path: string | undefined, wanted: string): boolean {
  return path !== undefined && (path === wanted || path.endsWith(`/${wanted}`));
}

function unquoted(text: string): string {
  return /^(['"]).*\1$/.test(text) ? text.slice(1, -1) : text;
}
