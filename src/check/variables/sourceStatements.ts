/**
 * Statements of a source file in C, as far as it takes no compiler to tell them apart: from one `;` or brace of a block
 * to the next. What is not certain makes them longer, never shorter: a caller that asks which names a line may have to
 * do with must not miss one.
 */

export interface SourceStatements {
  /** All that have to do with a line (from 1), put together; empty if there is nothing. */
  at(line: number): readonly string[];
  /**
   * What names stand for, as far as this file defines them: the pieces of all their definitions, without parameters.
   */
  readonly macros: ReadonlyMap<string, readonly string[]>;
  /** Files that are included by names in quotes. */
  readonly included: readonly string[];
}

interface Token {
  readonly text: string;
  readonly line: number;
}

/** Comments; texts and characters; numbers; names; signs. */
const TOKEN = /\/\/.*|\/\*[^]*?(?:\*\/|$)|"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?|\.?\d(?:[\w.]|[eEpP][+-])*|[A-Za-z_$][\w$]*|->|\+\+|--|##|\n|\S/g;
const DIRECTIVE = /^[ \t]*#[ \t]*(\w*)(.*)$/gm;
const NAME = /^[A-Za-z_$]/;
/** Words before a parenthesis that are no names of what is called, nor begin a block. */
const BEFORE_CASTS: ReadonlySet<string> = new Set(['return', 'sizeof', 'case', 'goto', '_Alignof', 'typeof', '__typeof__']);

export function isName(token: string): boolean {
  return NAME.test(token);
}

export function sourceStatements(lines: readonly string[]): SourceStatements {
  const text = joined(lines);
  const macros = new Map<string, string[]>();
  const included: string[] = [];
  const code = text.replace(DIRECTIVE, (_, name: string, rest: string) => {
    if (name === 'define') define(macros, rest);
    const [, file] = name === 'include' ? (/^\s*"([^"]+)"/.exec(rest) ?? []) : [];
    if (file !== undefined) included.push(file);
    return '';
  });
  let byLine: ReadonlyMap<number, readonly Token[][]> | undefined;
  return { at: (line) => ((byLine ??= statementsByLine(code)).get(line) ?? []).flat().map((token) => token.text), macros, included };
}

function statementsByLine(code: string): Map<number, Token[][]> {
  const byLine = new Map<number, Token[][]>();
  for (const statement of split(tokensOf(code))) {
    for (const line of new Set(statement.map((token) => token.line))) byLine.set(line, [...(byLine.get(line) ?? []), statement]);
  }
  return byLine;
}

/** Lines that go on in the next one are one, and those behind keep their numbers. */
function joined(lines: readonly string[]): string {
  const whole: string[] = [];
  let begun = '';
  let empty = '';
  for (const line of lines) {
    if (line.endsWith('\\')) {
      begun += `${line.slice(0, -1)} `;
      empty += '\n';
    } else {
      whole.push(begun + line + empty);
      begun = empty = '';
    }
  }
  return [...whole, begun].join('\n');
}

function define(macros: Map<string, string[]>, rest: string): void {
  const [, name = '', parameters = '', body = ''] = /^\s*([\w$]+)(\([^)]*\))?(.*)$/.exec(rest) ?? [];
  const own = new Set(parameters.match(/[\w$]+/g));
  macros.set(name, [...(macros.get(name) ?? []), ...tokensOf(body).map((token) => token.text).filter((token) => !own.has(token))]);
}

/** Without comments. Texts are `""`, characters `0`. */
function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let line = 1;
  for (const [token] of text.matchAll(TOKEN)) {
    const [first] = token;
    const isComment = token.startsWith('//') || token.startsWith('/*');
    if (token !== '\n' && !isComment) tokens.push({ text: first === '"' ? '""' : first === "'" ? '0' : token, line });
    line += token === '\n' ? 1 : token.split('\n').length - 1;
  }
  return tokens;
}

function* split(tokens: readonly Token[]): Generator<Token[]> {
  let statement: Token[] = [];
  /** What stood before parentheses and brackets that are open, and braces of initialisers. Nothing ends in between. */
  const inner: string[] = [];
  let before = '';
  /** What stood before the parentheses that have just been closed. */
  let beforeClosed = '';
  for (const token of tokens) {
    const { text } = token;
    statement.push(token);
    const isBlock = text === '{' && inner.length === 0 && beginsBlock(before, beforeClosed);
    if (isBlock || ((text === ';' || text === '}') && inner.length === 0)) {
      yield statement;
      statement = [];
    } else if (text === '(' || text === '[' || text === '{') inner.push(before);
    else if (text === ')' || text === ']' || text === '}') beforeClosed = inner.pop() ?? '';
    before = text;
  }
  yield statement;
}

/** A brace behind `=` or a cast begins what something is initialised with. */
function beginsBlock(before: string, beforeClosed: string): boolean {
  if (before === ')') return beforeClosed === ')' || (isName(beforeClosed) && !BEFORE_CASTS.has(beforeClosed));
  return !['=', ',', '(', '[', ']'].includes(before) && before !== 'return';
}
