/** `"{Size(r)} bytes at {r}"`: texts, and expressions in braces; `{{` and `\{` are a brace. */
import type { Message } from './ast.js';
import { Cursor } from './cursor.js';
import { ExpressionParser } from './expressionParser.js';
import { RuleSyntaxError, type RulePlace } from './problems.js';
import { tokenize } from './tokens.js';

export function parseMessage(text: string, place: RulePlace): Message {
  const parts: Message['parts'][number][] = [];
  let plain = '';
  let i = 0;
  while (i < text.length) {
    if (text.startsWith('{{', i) || text.startsWith('}}', i)) {
      plain += text[i];
      i += 2;
    } else if (text[i] === '{') {
      const end = text.indexOf('}', i);
      if (end < 0) throw new RuleSyntaxError({ place, message: "this message has '{' without '}'", hint: 'a brace by itself is written {{' });
      if (plain !== '') parts.push(plain);
      plain = '';
      parts.push(embedded(text.slice(i + 1, end), place));
      i = end + 1;
    } else plain += text[i++];
  }
  if (plain !== '') parts.push(plain);
  return { parts };
}

/** Places inside a string are those of the string: precise enough, and escapes cannot confuse them. */
function embedded(source: string, place: RulePlace) {
  const tokens = tokenize(source, place.file).map((token) => ({ ...token, place }));
  const cursor = new Cursor(tokens);
  const parsed = new ExpressionParser(cursor).expression();
  if (cursor.token.kind !== 'end') cursor.fail("'}'", `in the message: {${source}}`);
  return parsed;
}
