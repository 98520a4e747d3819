/** `list`, in all of gdb's forms. */
import { visible } from '../../base/visible.js';
import { UserError } from '../../base/errors.js';
import type { CodeLocation } from '../../debugger/program/location.js';
import type { Command } from '../command.js';
import { hex } from '../frameText.js';
import { lineOf } from '../../debugger/program/statementText.js';
import { around, type LineRangeToList, type ListedFile } from '../listing.js';
import type { Session } from '../session.js';
import { paintSource } from '../style.js';

export const LIST: Command = {
  name: 'list', aliases: ['l'], group: 'files', usage: 'list [LINE | FUNCTION | FILE:LINE | *ADDRESS | FIRST,LAST | -]', repeat: 'bare', completes: 'location',
  summary: 'List source lines.',
  details: 'Without argument: ten more, or ten around the place where the program stands. "list -" shows the ten before.',
  examples: [['list', 'more lines'], ['list main', 'around the beginning of main'], ['list 10,20', 'from line 10 to 20'], ['list a.c:7', 'around line 7 of a.c']],
  run(args, session) {
    if (args === '' || args === '+') return listNext(session);
    if (args === '-') return listPrevious(session);
    listAt(args, session);
  },
};

function sizeOf(session: Session): number {
  return Math.min(session.settings.count('listsize'), 1e9);
}

function listNext(session: Session): void {
  needDefault(session);
  show(session, fileOf(session), session.listing.next(sizeOf(session)));
}

function listPrevious(session: Session): void {
  needDefault(session);
  show(session, fileOf(session), session.listing.previous(sizeOf(session)));
}

function fileOf({ listing }: Session): ListedFile {
  if (listing.file === undefined) throw new UserError('No symbol table is loaded.  Use the "file" command.');
  return listing.file;
}

/** If nothing was shown yet: the selected frame's line, or main. */
function needDefault(session: Session): void {
  const { listing } = session;
  if (listing.file !== undefined) return;
  const { frame } = session.debugger;
  if (frame?.path !== undefined && frame.line > 0) return listing.stoppedAt(frame.path, frame.line, frame.fileName);
  const main = session.debugger.resolve('main').find(({ path, line }) => path !== undefined && line > 0);
  if (main?.path !== undefined) listing.startAt({ path: main.path, name: main.fileName ?? main.path }, main.line, sizeOf(session));
}

interface ListedPlace {
  readonly file: ListedFile;
  readonly line: number;
}

function listAt(args: string, session: Session): void {
  const size = sizeOf(session);
  const [firstText, lastText] = splitRange(args);
  if (lastText === undefined) {
    const places = placesOf(firstText, session);
    if (places.length === 1 && firstText.startsWith('*')) announceAddress(firstText, session);
    for (const place of places) {
      if (places.length > 1) session.say(`file: "${visible(place.file.name)}", line number: ${place.line}, symbol: "${firstText}"`);
      show(session, place.file, around(place.line, size));
    }
    return;
  }
  if (firstText === '') {
    const [last] = placesOf(lastText, session);
    if (last !== undefined) show(session, last.file, { first: Math.max(1, last.line - size + 1), last: last.line });
    return;
  }
  const [first] = placesOf(firstText, session);
  if (first === undefined) return;
  const last = lastText === '' ? first.line + size - 1 : lastLine(lastText, first, session);
  if (last < first.line) throw new UserError(`Second line ${last} is before the first`);
  show(session, first.file, { first: first.line, last });
}

function lastLine(text: string, first: ListedPlace, session: Session): number {
  if (/^\+\d+$/.test(text)) return first.line + Number(text);
  if (/^\d+$/.test(text)) return Number(text);
  const [last] = placesOf(text, session);
  if (last !== undefined && last.file.path !== first.file.path) throw new UserError('Specified first and last lines are in different files.');
  return last?.line ?? first.line;
}

/** At a comma that is not within parentheses, angle brackets or quotes. */
function splitRange(args: string): [string, string | undefined] {
  let depth = 0;
  for (let i = 0; i < args.length; i++) {
    const c = args[i] as string;
    if ('(<['.includes(c)) depth++;
    else if (')>]'.includes(c)) depth--;
    else if (c === ',' && depth <= 0) return [args.slice(0, i).trim(), args.slice(i + 1).trim()];
  }
  return [args.trim(), undefined];
}

/** Of a statement, or of a time that it was reached, the line. */
function placesOf(written: string, session: Session): ListedPlace[] {
  const text = lineOf(written);
  const { listing } = session;
  if (/^[+-]?\d+$/.test(text)) {
    needDefault(session);
    const base = text.startsWith('+') ? listing.line : text.startsWith('-') ? listing.line - 1 : 0;
    return [{ file: fileOf(session), line: Math.max(1, base + Number(text)) }];
  }
  const inFile = /^(.*[^:]):(\d+)$/.exec(text);
  if (inFile !== null) return [{ file: namedFile(inFile[1] as string, session), line: Number(inFile[2]) }];
  const found = uniquePlaces(session.debugger.resolve(text).flatMap((location) => placeOf(location, text, session)));
  if (found.length === 0) throw new UserError(`Function "${text}" not defined.`);
  return found;
}

/** Functions are listed around their first line, not around the place where a breakpoint would be. */
function placeOf(location: CodeLocation, text: string, session: Session): ListedPlace[] {
  const declared = text.startsWith('*') ? undefined : functionLine(location);
  const path = declared?.path ?? location.path;
  if (path === undefined || (declared === undefined && location.line === 0)) return [];
  const name = declared?.name ?? location.fileName ?? path;
  return [{ file: { path, name: session.shownName(name, path) }, line: declared?.line ?? location.line }];
}

function functionLine({ scope, module }: CodeLocation): { readonly path: string; readonly name: string; readonly line: number } | undefined {
  const first = scope?.kind === 'function' ? module?.file.lineRangeAt(scope.entry) : undefined;
  if (first?.file !== undefined) return { path: first.file.path, name: first.file.shownName, line: first.line };
  const declaration = scope?.function.declaration;
  return declaration?.file === undefined ? undefined : { path: declaration.file.path, name: declaration.file.shownName, line: declaration.line };
}

function namedFile(name: string, session: Session): ListedFile {
  const bare = name.replace(/^(['"])(.*)\1$/, '$2');
  for (const { info } of session.program.modules.all) {
    const [found] = info?.sources.find(bare) ?? [];
    if (found !== undefined) return { path: found.file.path, name: session.shownName(found.file.shownName, found.file.path) };
  }
  throw new UserError(`No source file named ${bare}.`);
}

function uniquePlaces(places: readonly ListedPlace[]): ListedPlace[] {
  return places.filter((place, i) => places.findIndex((other) => other.file.path === place.file.path && other.line === place.line) === i);
}

function announceAddress(text: string, session: Session): void {
  const [location] = session.debugger.resolve(text);
  if (location === undefined || location.line === 0) return;
  const name = session.shownName(location.fileName, location.path);
  session.say(`${hex(location.address)} is in ${location.functionName ?? '??'} (${name}:${location.line}).`);
}

function show(session: Session, file: ListedFile, { first, last }: LineRangeToList): void {
  const lines = session.sources.lines(file.path);
  if (lines === undefined) throw new UserError(`${first}\t${session.missed.said(file.path, file.name)}`);
  if (first > lines.length) throw new UserError(`Line number ${first} out of range; ${file.name} has ${lines.length} lines.`);
  const end = Math.min(last, lines.length);
  const current = currentLine(session, file);
  const { paint } = session;
  for (let number = first; number <= end; number++) {
    const text = lines[number - 1] as string;
    const label = number === current ? paint('current', String(number)) : paint('line', String(number));
    session.say(`${label}\t${paintSource(text, paint)}`);
  }
  session.listing.listed(file, { first, last: end });
}

function currentLine(session: Session, { path }: ListedFile): number | undefined {
  const { frame } = session.debugger;
  return frame?.path === path ? frame.line : undefined;
}
