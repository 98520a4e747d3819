/** Our answers to gdb's commands, for comparing. */
import { UserError } from '../../src/base/errors.js';
import type { Expressions } from '../../src/debugger/values/expressions.js';
import { Examiner } from '../../src/debugger/values/examine.js';
import { argumentsOf, frameArgumentsText, localsOf, type NamedValue, variableText } from '../../src/debugger/values/frameVariables.js';
import { scopesOfCall } from '../../src/debugger/values/scopeLookup.js';
import { printfText } from '../../src/debugger/values/printf/printfText.js';
import { printCommand } from '../../src/debugger/values/printCommand.js';

export function ourAnswer(expressions: Expressions, command: string): string {
  try {
    return answer(expressions, command);
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}

/** One for each program that is looked at. */
const examiners = new WeakMap<Expressions, Examiner>();

function examined(expressions: Expressions, text: string): string {
  const examiner = examiners.get(expressions) ?? new Examiner();
  examiners.set(expressions, examiner);
  const result = examiner.examine(expressions, text);
  return result.error?.message ?? result.text.replace(/\n$/, '');
}

function answer(expressions: Expressions, command: string): string {
  const [, word = '', rest = ''] = /^(\w+)(.*)$/.exec(command) ?? [];
  switch (word) {
    case 'p': case 'print': {
      const { text, warnings } = printCommand(expressions, rest);
      return [...warnings.map((warning) => `warning: ${warning}`), text].join('\n');
    }
    case 'output': return expressions.text(expressions.evaluate(rest));
    case 'whatis': return `type = ${expressions.whatis(rest)}`;
    case 'ptype': return expressions.ptype(rest);
    case 'printf': return printfText(expressions, rest).replace(/\n+$/, '');
    case 'x': return examined(expressions, rest);
    case 'info': return rest.trim() === 'locals' ? listText(expressions, localsOf(expressions), 'No locals.') : listText(expressions, argumentsOf(expressions), 'No arguments.');
    case 'frame': return frameArgumentsText(expressions);
    default: throw new Error(`no answer to ${command}`);
  }
}

/** What gdb's `frame` says, without all but the arguments. */
export function comparable(command: string, text: string): string {
  if (command !== 'frame') return withoutNumber(text);
  const [first = ''] = text.split('\n');
  return /^#\d+ +(?:0x[\da-f]+ in )?.*? \((.*)\) (?:at|from) /.exec(first)?.[1] ?? first;
}

/** Numbers of the history differ once an answer has been an error in one of two and not in the other. */
export function withoutNumber(text: string): string {
  return text.replace(/^\$\d+ = /m, '$ = ').replace(/^(warning: .*\n)+type = /, 'type = ');
}

/** `info locals` and `info args`: a line each, or gdb's words for none. */
function listText(expressions: Expressions, values: readonly NamedValue[], none: string): string {
  const { frame } = expressions.around;
  if (frame === undefined) return 'No frame selected.';
  if (scopesOfCall(frame).length === 0) return 'No symbol table info available.';
  return values.length === 0 ? none : values.map(({ name, value }) => `${name} = ${variableText(expressions, name, value)}`).join('\n');
}
