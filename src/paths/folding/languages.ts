/** Which grammar a source has, and the structure that it gives; indentation where there is none. */
import type { Language, Parser } from 'web-tree-sitter';
import { IndentStructure } from './indentStructure.js';
import type { CodeStructure } from './structure.js';
import { treeStructure } from './treeStructure.js';

export type GrammarName = 'c' | 'cpp';

/** tree-sitter, as the command loads it. */
export interface Grammars {
  readonly parser: Parser;
  readonly languages: Readonly<Record<GrammarName, Language>>;
}

const C = /\.[ch]$/;
const CPP = /\.(?:C|cc|cpp|cxx|c\+\+|H|hh|hpp|hxx|h\+\+|ipp|inl|tcc|ii)$/;
/** Longer sources are folded by their indentation. */
const LONGEST = 20_000_000;

/** Without grammars all is by indentation. */
export function structureOf(file: string, lines: readonly string[], grammars: Grammars | undefined): CodeStructure {
  const names: readonly GrammarName[] = CPP.test(file) ? ['cpp'] : file.endsWith('.h') ? ['c', 'cpp'] : C.test(file) ? ['c'] : [];
  const text = lines.join('\n');
  if (grammars === undefined || names.length === 0 || text.length > LONGEST) return new IndentStructure(lines);
  return parsed(text, names, grammars) ?? new IndentStructure(lines);
}

/** A header may be of either language: the one that reads it without errors counts. */
function parsed(text: string, names: readonly GrammarName[], { parser, languages }: Grammars): CodeStructure | undefined {
  for (const [i, name] of names.entries()) {
    parser.setLanguage(languages[name]);
    const tree = parser.parse(text);
    if (tree === null) continue;
    try {
      if (!tree.rootNode.hasError || i === names.length - 1) return treeStructure(tree, name === 'cpp');
    } finally {
      tree.delete();
    }
  }
  return undefined;
}
