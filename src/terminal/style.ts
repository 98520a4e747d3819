/** Colours, where they are wanted. */
type Style = 'function' | 'file' | 'variable' | 'address' | 'line' | 'current' | 'heading' | 'dim' | 'error' | 'keyword' | 'string' | 'comment' | 'number';

const CODES: Readonly<Record<Style, string>> = {
  function: '33', file: '32', variable: '36', address: '34', line: '2', current: '1;33', heading: '1', dim: '2', error: '31',
  keyword: '35', string: '32', comment: '2;37', number: '36',
};

export type Paint = (style: Style, text: string) => string;

export const PLAIN: Paint = (_style, text) => text;
export const COLOURED: Paint = (style, text) => (text === '' ? '' : `\u001b[${CODES[style]}m${text}\u001b[0m`);

const KEYWORDS = new Set((
  'auto break case char const continue default do double else enum extern float for goto if inline int long register restrict return short signed sizeof static ' +
  'struct switch typedef union unsigned void volatile while bool class namespace template typename public private protected virtual override new delete this ' +
  'using try catch throw nullptr true false operator friend constexpr fn let mut pub impl match mod use trait where loop in as ref self'
).split(' '));
const TOKENS = /("(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)+')|(\/\/.*|\/\*.*?(?:\*\/|$))|(\b\d[\w.]*)|([A-Za-z_]\w*)/g;

/** One line of C, C++ or Rust, as far as one line tells. */
export function paintSource(text: string, paint: Paint): string {
  return text.replace(TOKENS, (whole, quoted?: string, comment?: string, number?: string, word?: string) => {
    if (quoted !== undefined) return paint('string', whole);
    if (comment !== undefined) return paint('comment', whole);
    if (number !== undefined) return paint('number', whole);
    return word !== undefined && KEYWORDS.has(word) ? paint('keyword', whole) : whole;
  });
}
