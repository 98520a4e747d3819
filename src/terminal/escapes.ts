/** Backslashes in the text of `echo`. */
const SIMPLE: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '\u0007', b: '\b', f: '\f', e: '\u001b', v: '\v' };

export function unescaped(text: string): string {
  return text.replace(/\\([0-7]{1,3}|[\s\S]|$)/g, (_whole, what: string) => {
    if (/^[0-7]/.test(what)) return String.fromCharCode(parseInt(what, 8));
    return SIMPLE[what] ?? (what === '\n' ? '' : what);
  });
}
