/** Names with scopes and template arguments: `a::B<int>::c`, `A::~A`, `A::operator==`. */
import type { Tokens } from './tokens.js';
import type { TypeNames } from './typeParser.js';

const OPERATOR_NAME = /^\s*(\(\)|\[\]|<=>|<<=|>>=|->\*|new\s*\[\]|delete\s*\[\]|[-+*/%^&|]=|<<|>>|<=|>=|==|!=|&&|\|\||\+\+|--|->|new|delete|[-+*/%^&|~!=<>,])/;

/** The name that begins here, as one text without blanks; undefined if there is none. */
export function readQualifiedName(tokens: Tokens, names: TypeNames): string | undefined {
  let text = '';
  if (tokens.isOperator('::')) {
    tokens.take();
    text = '::';
  }
  for (;;) {
    const part = readPart(tokens, names, text);
    if (part === undefined) return text === '' ? undefined : tokens.syntaxError();
    text += part;
    if (!tokens.isOperator('::')) return text;
    const mark = tokens.mark();
    tokens.take();
    // `a::*` is a pointer to a member.
    if (tokens.isOperator('*')) {
      tokens.back(mark);
      return text;
    }
    text += '::';
  }
}

function readPart(tokens: Tokens, names: TypeNames, before: string): string | undefined {
  if (before !== '' && tokens.accept('~')) return `~${tokens.token.kind === 'name' ? tokens.take().text : tokens.syntaxError()}`;
  if (before.endsWith('::') && tokens.rest.trimStart().startsWith('(anonymous namespace)')) return anonymous(tokens);
  if (tokens.token.kind !== 'name') return before === '' && tokens.rest.trimStart().startsWith('(anonymous namespace)') ? anonymous(tokens) : undefined;
  const name = tokens.take().text;
  if (name === 'operator' && names.isCPlusPlus) {
    const sign = OPERATOR_NAME.exec(tokens.rest);
    if (sign !== null) {
      tokens.skip(sign[0].length);
      return `operator${/^\w/.test(sign[1] ?? '') ? ' ' : ''}${(sign[1] ?? '').replace(/\s/g, '')}`;
    }
  }
  if (!names.isCPlusPlus || !tokens.isOperator('<') || !names.isTemplate(`${before}${name}`)) return name;
  return `${name}${templateArguments(tokens)}`;
}

function anonymous(tokens: Tokens): string {
  tokens.skip(tokens.rest.indexOf(')') + 1);
  return '(anonymous namespace)';
}

/** `<...>` up to its closing bracket, as written; empty if it is not closed. */
function templateArguments(tokens: Tokens): string {
  const text = tokens.rest;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '<' || text[i] === '(') depth++;
    if ((text[i] === '>' || text[i] === ')') && --depth === 0) {
      tokens.skip(i + 1);
      return text.slice(0, i + 1).trim();
    }
  }
  return '';
}
