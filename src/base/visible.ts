/**
 * Names, arguments and other texts that come from programs and recordings, as people may see them. A recording may be
 * anybody's: what is in it must not move the cursor, change colours, set titles or look like another line. So all that
 * controls a terminal is written as C writes it: `\e[1m`.
 */
const NAMED: Readonly<Record<string, string>> = { '\0': '\\0', '\t': '\\t', '\n': '\\n', '\r': '\\r', '\u001b': '\\e' };
/** Control characters, and those that change the direction of writing. */
// oxlint-disable-next-line no-control-regex
const STRANGE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
/** The same without ends of lines and tabs. */
// oxlint-disable-next-line no-control-regex
const STRANGE_IN_LINES = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
// oxlint-disable-next-line no-control-regex
const STRANGE_BUT_COLOURS = new RegExp(`\u001b\\[[\\d;]*m|${STRANGE_IN_LINES.source}`, 'g');
// oxlint-disable-next-line no-control-regex
const COLOUR = /^\u001b\[[\d;]*m$/;

export function escapedCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return NAMED[character] ?? (code <= 0xff ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`);
}

/** Something that belongs into one line: a name, an argument. */
export function visible(text: string): string {
  return text.replace(STRANGE, escapedCharacter);
}

/** One line of ours; a tab may be part of it. */
export function visibleLine(text: string): string {
  return text.replace(STRANGE, (found) => (found === '\t' ? found : escapedCharacter(found)));
}

/** Whole lines of ours, whatever has got into them. `withColours`: ours may be among them. */
export function visibleLines(text: string, withColours = false): string {
  return withColours ? text.replace(STRANGE_BUT_COLOURS, (found) => (COLOUR.test(found) ? found : escapedCharacter(found))) : text.replace(STRANGE_IN_LINES, escapedCharacter);
}

/** A word as shells understand it: what cannot be seen is written as `$'\e'`. */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  const shown = visible(word);
  return shown === word ? `'${word.replaceAll("'", `'\\''`)}'` : `$'${visible(word.replaceAll('\\', '\\\\').replaceAll("'", "\\'"))}'`;
}

/** JSON leaves some of them as they are. */
export function jsonText(value: unknown, space?: number, replacer?: (key: string, value: unknown) => unknown): string {
  return JSON.stringify(value, replacer, space).replace(STRANGE_IN_LINES, (found) => `\\u${(found.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);
}
