/** The examples of a document: commands with what they print, and files that they use. */

export interface Example {
  /** A line for the shell, and what is typed into what it starts. */
  readonly command: string;
  readonly typed: readonly string[];
  readonly output: readonly string[];
}

export interface Examples {
  /** In the order of the document: later blocks use what earlier ones have made. */
  readonly blocks: readonly (readonly Example[])[];
  /** By name. */
  readonly files: ReadonlyMap<string, string>;
}

const PROMPT = '(culprit) ';

export function examplesOf(markdown: string): Examples {
  const blocks: Example[][] = [];
  const files = new Map<string, string>();
  for (const [, kind, text = ''] of markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)) {
    const [, name] = /^\/\/ (\w+\.ts)\b/.exec(text) ?? [];
    if (kind === 'console') blocks.push(blockOf(text));
    else if (kind === 'ts' && name !== undefined) files.set(name, text);
  }
  return { blocks, files };
}

function blockOf(text: string): Example[] {
  const examples: { command: string; typed: string[]; output: string[] }[] = [];
  for (const line of text.trimEnd().split('\n')) {
    const last = examples.at(-1);
    if (line.startsWith('$ ')) examples.push({ command: line.slice(2), typed: [], output: [] });
    else if (last === undefined) throw new Error(`an example begins with its output: ${line}`);
    else if (line.startsWith(PROMPT)) last.typed.push(line.slice(PROMPT.length));
    else last.output.push(line);
  }
  return examples;
}

const MARK = '@@ end of a command @@';

/** For one shell, so that what one command sets, the next one has. Both streams go together. */
export function shellScript(examples: readonly Example[]): string {
  return examples.map(({ command, typed }) => `{ ${command}; } 2>&1 ${typed.length === 0 ? '' : `<<'TYPED'\n${typed.join('\n')}\nTYPED\n`}
status=$?; echo '${MARK}'; (exit $status)`).join('\n');
}

/** What each command of such a script printed, in lines. */
export function printedByEach(output: string): string[][] {
  return output.split(`${MARK}\n`).slice(0, -1).map((text) => (text === '' ? [] : text.replace(/\n$/, '').split('\n')));
}

/** Without what differs between machines: times, addresses, sizes, seconds. */
export function comparable(line: string): string {
  return line.replace(/0x[0-9a-f]{4,}/g, '0xN').replace(/\b\d+\.\d+/g, 'N').replace(/\b\d[\d,]{3,}\b/g, 'N').replace(/ +/g, ' ').trimEnd();
}

/**
 * What of `wanted` is not to be found in `printed`, in order and with nothing between but where it says `...`;
 * undefined if all is.
 */
export function firstDifference(wanted: readonly string[], printed: readonly string[]): string | undefined {
  const lines = printed.map(comparable);
  let at = 0;
  let isGap = false;
  for (const line of wanted) {
    if (line === '...') {
      isGap = true;
      continue;
    }
    const found = isGap ? lines.indexOf(comparable(line), at) : lines[at] === comparable(line) ? at : -1;
    if (found < 0) return `expected ${JSON.stringify(line)}, where there is ${JSON.stringify(printed[at])} in\n${printed.join('\n')}`;
    at = found + 1;
    isGap = false;
  }
  return isGap || at >= lines.length ? undefined : `more than expected: ${JSON.stringify(printed[at])} in\n${printed.join('\n')}`;
}
