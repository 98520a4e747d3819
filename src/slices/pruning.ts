/** What users want to have left out of a slice, as what a walk can leave out. */
import { UserError } from '../base/errors.js';
import { parseStatement } from '../debugger/program/statementText.js';
import { registerPlace } from '../flow/copies/place.js';
import type { Work } from '../replay/timeline/work.js';
import { placesOf } from './criteria.js';
import type { SliceFilter } from './filters.js';
import type { SliceSubject } from './subject.js';

const DEEPEST = 64;

/** A register, a line, a variable of a frame that is there, a global variable, or a function. */
export async function filterFor(subject: SliceSubject, word: string, work?: Work): Promise<SliceFilter> {
  if (word.startsWith('$')) return registerFilter(word);
  const parsed = parseStatement(word);
  if (parsed !== undefined) {
    if (parsed.part !== undefined || parsed.instance !== undefined) throw new UserError(`${word}: only whole lines can be left out: write FILE:LINE`);
    const { path, line } = await subject.named.statement(parsed, subject.instanceRun, { currentPath: subject.frame?.path, work });
    return { title: word, code: (place) => place.path === path && place.line === line };
  }
  const found = functionFilter(subject, word) ?? variableFilter(subject, word);
  if (found === undefined) throw new UserError(`there is no variable, register, line or function ${word} here: variables can be left out where they are visible, or are global`);
  return found;
}

function registerFilter(word: string): SliceFilter {
  const found = registerPlace(word.slice(1));
  if (found?.kind !== 'register') throw new UserError(`${word} is no general or vector register`);
  return { title: word, cells: { first: found.offset, bytes: found.size } };
}

function variableFilter({ backtrace, frame }: SliceSubject, word: string): SliceFilter | undefined {
  if (backtrace === undefined) return undefined;
  for (const one of [frame, ...backtrace.frames(DEEPEST)]) {
    try {
      const [place] = placesOf([word], backtrace.program, one);
      if (place?.kind === 'memory') return { title: word, memory: { address: place.address, bytes: place.bytes } };
      if (place?.kind === 'cells') throw new UserError(`${word} is in a register here: leave that out ("prune ID $REGISTER"), or its lines`);
    } catch (error) {
      if (!(error instanceof UserError) || /in a register here/.test(error.message)) throw error;
    }
  }
  return undefined;
}

function functionFilter({ backtrace }: SliceSubject, word: string): SliceFilter | undefined {
  const isFunction = backtrace?.program.symbols.named(word).some(({ kind }) => kind === 'function' || kind === 'indirectFunction') === true;
  return isFunction ? { title: word, code: ({ functionName }) => functionName === word } : undefined;
}
