/**
 * Inputs of a triage. What an input is, its content says: files with equal contents are one input, under the name that
 * is first in order, so that nothing is counted twice, however often a fuzzer has stored it.
 */

/** A file that was named, or found in a folder that was. */
export interface InputFile {
  /** As the user would write it. */
  readonly name: string;
  readonly size: number;
  /** SHA-256 of the content, in hexadecimal digits. */
  readonly hash: string;
}

export interface TriageInput extends InputFile {
  /** What the fuzzer that left it says of it. */
  readonly said: FuzzersWord;
  /** Other files with the same content. */
  readonly copies: readonly string[];
}

/** `input`: no fuzzer has said anything of it; `queue`: one that was interesting, and did not fail. */
type FuzzersWord = 'crash' | 'hang' | 'outOfMemory' | 'leak' | 'queue' | 'input';

const BY_FOLDER: readonly (readonly [RegExp, FuzzersWord])[] = [[/^crashes([._]|$)/, 'crash'], [/^hangs([._]|$)/, 'hang'], [/^queue([._]|$)/, 'queue']];
const BY_NAME: readonly (readonly [RegExp, FuzzersWord])[] = [[/^crash-/, 'crash'], [/^timeout-/, 'hang'], [/^slow-unit-/, 'hang'], [/^oom-/, 'outOfMemory'], [/^leak-/, 'leak'], [/^id[:_]\d+[,_].*sig[:_]\d+/, 'crash']];

/** By the names that AFL and libFuzzer give. */
export function fuzzersWord(name: string): FuzzersWord {
  const [file = '', ...folders] = name.split('/').toReversed();
  for (const [pattern, word] of BY_NAME) if (pattern.test(file)) return word;
  for (const [pattern, word] of BY_FOLDER) if (pattern.test(folders[0] ?? '')) return word;
  return 'input';
}

/** One for each content, in the order of their names. */
export function distinctInputs(files: readonly InputFile[]): TriageInput[] {
  const byContent = new Map<string, InputFile[]>();
  for (const file of files) byContent.set(file.hash, [...(byContent.get(file.hash) ?? []), file]);
  const inputs = [...byContent.values()].map((same) => {
    const [first, ...others] = same.toSorted(byName) as [InputFile, ...InputFile[]];
    const names = [...new Set(others.map(({ name }) => name))].filter((name) => name !== first.name);
    return { ...first, said: fuzzersWord(first.name), copies: names };
  });
  return inputs.sort(byName);
}

function byName(a: InputFile, b: InputFile): number {
  return compareTexts(a.name, b.name);
}

/** The same order on every machine. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
