/** Files that comments and documents name, and that do not exist. */
import type { Comment } from './syntax.js';

/** A file's name, with or without folders; not a part of an address or of a longer name. */
const MENTION = /(?<![\w./*@<{$-])(?:[\w-]+\/)*[\w-]+(?:\.test)?\.(?:ts|mjs|cjs)(?![\w/*.-]|\.\w)/g;

/** What stands for a file of the user in examples. */
const EXAMPLES: ReadonlySet<string> = new Set(['x.ts', 'who.ts', 'find.ts', 'script.ts']);

/** What the build makes is not there before it, and NAME.ts means any file. */
function isExpected(name: string): boolean {
  return EXAMPLES.has(name) || name.startsWith('dist/') || /(?:^|\/)[A-Z]+\.ts$/.test(name);
}

export interface Mention {
  readonly offset: number;
  readonly name: string;
}

export class KnownFiles {
  readonly #ends = new Set<string>();

  constructor(paths: readonly string[]) {
    for (const path of paths) {
      const parts = path.split('/');
      for (let i = 0; i < parts.length; i++) this.#ends.add(parts.slice(i).join('/'));
    }
  }

  /** Mentions in a stretch of text of files that are not there. */
  missing(text: string, { start, end }: Comment = { start: 0, end: text.length }): Mention[] {
    return [...text.slice(start, end).matchAll(MENTION)]
      .map((match) => ({ offset: start + match.index, name: match[0] }))
      .filter(({ name }) => !this.#ends.has(name) && !isExpected(name));
  }
}
