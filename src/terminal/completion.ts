/** What may stand where a line ends. */
import type { Completed } from './command.js';
import { INFO_COMMANDS } from './commands/infoCommand.js';
import { PRINT_OPTIONS } from './printOptions.js';
import type { Session } from './session.js';
import { allSignals, gdbSignalName } from './signalWords.js';
import { locationNames } from './locationNames.js';

export interface Completion {
  readonly candidates: readonly string[];
  /** The end of the line that they replace. */
  readonly replaced: string;
}

const MOST = 200;

export function complete(line: string, session: Session): Completion {
  const text = line.trimStart();
  const first = /^[A-Za-z][\w.-]*/.exec(text)?.[0] ?? '';
  if (first === text) return found(session.commands.names.filter((name) => name.startsWith(text)), text);
  const meant = session.commands.matching(first);
  const [command] = meant;
  if (command === undefined || meant.length > 1) return found([], '');
  const rest = text.slice(first.length);
  if (command.name === 'info') return completeInfo(rest.trimStart(), session);
  if (command.name === 'help') return wordsFrom(session.commands.names, rest);
  if (command.name === 'set' || command.name === 'show') return completeSetting(rest.trimStart(), session);
  return argument(command.completes ?? 'expression', rest, session);
}

function completeInfo(rest: string, session: Session): Completion {
  const word = /^[\w-]*/.exec(rest)?.[0] ?? '';
  if (word === rest) return found(INFO_COMMANDS.names.filter((name) => name.startsWith(word)), word);
  const [command] = INFO_COMMANDS.matching(word);
  return command === undefined ? found([], '') : argument(command.completes ?? 'nothing', rest.slice(word.length), session);
}

function completeSetting(rest: string, session: Session): Completion {
  if (/^var\s/.test(rest)) return argument('expression', rest.slice(3), session);
  const names = [...session.settings.names, ...PRINT_OPTIONS.map((name) => `print ${name}`), 'var'];
  const last = /\S*$/.exec(rest)?.[0] ?? '';
  const before = rest.slice(0, rest.length - last.length);
  return found(names.filter((name) => name.startsWith(rest)).map((name) => name.slice(before.length)), last);
}

function argument(kind: Completed, rest: string, session: Session): Completion {
  if (typeof kind !== 'string') return wordsFrom(kind, rest);
  switch (kind) {
    case 'location': return afterIf(rest, session) ?? locations(rest, session);
    case 'expression': return expression(rest, session);
    case 'signal': return wordsFrom([...allSignals().map(gdbSignalName), 'stop', 'nostop', 'print', 'noprint', 'all'], rest);
    case 'bookmark': return wordsFrom([...session.visits.bookmarks.keys(), 'start', 'end'], rest);
    case 'command': return wordsFrom(session.commands.names, rest);
    case 'setting': return wordsFrom(session.settings.names, rest);
    case 'file': case 'nothing': return found([], '');
  }
}

/** `break f if x…`: an expression again. */
function afterIf(rest: string, session: Session): Completion | undefined {
  const condition = /\bif\s+(.*)$/s.exec(rest);
  return condition === null ? undefined : expression(condition[1] as string, session);
}

function locations(rest: string, session: Session): Completion {
  const word = /\S*$/.exec(rest)?.[0] ?? '';
  return found(locationNames(word, session, MOST), word);
}

function expression(rest: string, session: Session): Completion {
  const word = /[\w$:]*$/.exec(rest)?.[0] ?? '';
  return found(session.language.complete(rest).filter((name) => name.startsWith(word)), word);
}

function wordsFrom(words: readonly string[], rest: string): Completion {
  const word = /\S*$/.exec(rest)?.[0] ?? '';
  return found(words.filter((candidate) => candidate.startsWith(word)), word);
}

function found(candidates: readonly string[], replaced: string): Completion {
  return { candidates: [...new Set(candidates)].sort().slice(0, MOST), replaced };
}
