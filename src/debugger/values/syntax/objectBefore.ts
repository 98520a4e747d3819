/** Expressions that are not complete yet: what an access to a member at their end is about. */

/** The object at the end of a text that a `.` or `->` follows: of `f(a.b[2]` it is `a.b[2]`. */
export function objectBefore(text: string): string {
  let at = text.trimEnd().length;
  const end = at;
  for (;;) {
    while (text[at - 1] === ')' || text[at - 1] === ']') {
      const open = openingBefore(text, at - 1);
      if (open === undefined) return '';
      at = open;
    }
    at -= /[\w$]*$/.exec(text.slice(0, at))?.[0].length ?? 0;
    const link = /\s*(\.|->|::)\s*$/.exec(text.slice(0, at));
    if (link === null) return text.slice(at, end);
    at = link.index;
  }
}

/** Where the bracket opens that closes at `close`. */
function openingBefore(text: string, close: number): number | undefined {
  let depth = 0;
  for (let i = close; i >= 0; i--) {
    const c = text[i] as string;
    if (c === ')' || c === ']') depth++;
    else if ((c === '(' || c === '[') && --depth === 0) return i;
  }
  return undefined;
}
