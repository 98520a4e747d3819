/** TypeScript and JavaScript files as syntax trees, by the parser that comes with vitest. */
import { parseSync } from 'rolldown/utils';

/** A node of the tree (ESTree, and its TypeScript forms). */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

export interface Comment {
  readonly start: number;
  readonly end: number;
}

/** One file, parsed. */
export interface Source {
  readonly path: string;
  readonly text: string;
  readonly program: SyntaxNode;
  readonly comments: readonly Comment[];
  /** What the parser did not understand. */
  readonly errors: readonly string[];
  /** The line of a place in the text, from 1. */
  lineAt(offset: number): number;
}

export function parseSource(path: string, text: string): Source {
  const { program, comments, errors } = parseSync(path, text);
  let starts: number[] | null = null;
  return {
    path, text, comments, program: program as unknown as SyntaxNode,
    errors: errors.map((error) => error.message),
    lineAt: (offset) => {
      starts ??= lineStarts(text);
      const after = starts.findIndex((start) => start > offset);
      return after < 0 ? starts.length : after;
    },
  };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) starts.push(end + 1);
  return starts;
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}

/** The nodes directly below a node, in the order of the text. */
export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (const key in node) {
    const value = node[key];
    if (typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value)) {
      if (isNode(value)) children.push(value);
    } else {
      for (const one of value) if (isNode(one)) children.push(one);
    }
  }
  return children;
}

/** Visits a node and everything below it, from the outside in. */
export function visit(node: SyntaxNode, see: (node: SyntaxNode) => void): void {
  see(node);
  for (const child of childrenOf(node)) visit(child, see);
}

export function nodeAt(node: SyntaxNode, key: string): SyntaxNode | null {
  const value = node[key];
  return isNode(value) ? value : null;
}

export function nodesAt(node: SyntaxNode, key: string): SyntaxNode[] {
  const value = node[key];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** The name of an identifier, or the text of a string. */
export function textOf(node: SyntaxNode | null): string | null {
  return node?.type === 'Identifier' ? (node['name'] as string) : constantText(node);
}

/** The text of a string, also of a template without expressions. */
export function constantText(node: SyntaxNode | null): string | null {
  if (node === null) return null;
  if (node.type === 'Literal' && typeof node['value'] === 'string') return node['value'];
  if (node.type !== 'TemplateLiteral' || nodesAt(node, 'expressions').length > 0) return null;
  const [only] = nodesAt(node, 'quasis');
  return (only?.['value'] as { cooked?: string } | undefined)?.cooked ?? null;
}
