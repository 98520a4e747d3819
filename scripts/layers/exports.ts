/** What a file exports by itself; names that it only hands on from other files are among its imports. */
import { nodeAt, nodesAt, textOf, visit } from './syntax.js';
import type { Source, SyntaxNode } from './syntax.js';

export interface Export {
  readonly name: string;
  readonly line: number;
  /** Whether the file uses it itself. */
  isUsedHere(): boolean;
}

export function exportsOf(source: Source): Export[] {
  const named = nodesAt(source.program, 'body').flatMap((node) => exportedBy(node));
  let mentions: ReadonlyMap<string, number> | null = null;
  // Overloads of a function are one export, with a mention each.
  return [...grouped(named)].map(([name, places]) => {
    const [, place, local] = places[0]!;
    return {
      name,
      line: source.lineAt(place.start),
      isUsedHere: () => {
        mentions ??= namesIn(source.program);
        return (mentions.get(local) ?? 0) > places.length;
      },
    };
  });
}

type Named = readonly [exported: string, place: SyntaxNode, local: string];

function grouped(named: readonly Named[]): Map<string, Named[]> {
  const groups = new Map<string, Named[]>();
  for (const one of named) groups.set(one[0], [...(groups.get(one[0]) ?? []), one]);
  return groups;
}

function exportedBy(node: SyntaxNode): Named[] {
  if (node.type === 'ExportDefaultDeclaration') return [['default', node, '']];
  if (node.type !== 'ExportNamedDeclaration' || node['source'] !== null) return [];
  const declaration = nodeAt(node, 'declaration');
  if (declaration === null) {
    return nodesAt(node, 'specifiers').map((one) => [textOf(nodeAt(one, 'exported')) ?? '', one, textOf(nodeAt(one, 'local')) ?? '']);
  }
  const patterns = declaration.type === 'VariableDeclaration' ? nodesAt(declaration, 'declarations') : [declaration];
  return patterns.flatMap((one) => boundNames(nodeAt(one, 'id')).map((name): Named => [name, node, name]));
}

/** The names that a pattern binds: `a`, `{ b, c: d = 1 }`, `[e, ...f]`. */
export function boundNames(pattern: SyntaxNode | null): string[] {
  switch (pattern?.type) {
    case 'Identifier': return [pattern['name'] as string];
    case 'ObjectPattern': return nodesAt(pattern, 'properties').flatMap((one) => boundNames(one.type === 'Property' ? nodeAt(one, 'value') : one));
    case 'ArrayPattern': return nodesAt(pattern, 'elements').flatMap(boundNames);
    case 'AssignmentPattern': return boundNames(nodeAt(pattern, 'left'));
    case 'RestElement': return boundNames(nodeAt(pattern, 'argument'));
    case 'TSParameterProperty': return boundNames(nodeAt(pattern, 'parameter'));
    default: return [];
  }
}

/** How often each name stands in the file; not as a property of something else. */
function namesIn(program: SyntaxNode): Map<string, number> {
  const counts = new Map<string, number>();
  const properties = new Set<SyntaxNode>();
  visit(program, (node) => {
    const property = node['computed'] === true ? null : nodeAt(node, 'property') ?? (node['shorthand'] === true ? null : nodeAt(node, 'key'));
    if (property !== null) properties.add(property);
    if (node.type === 'Property' && node['shorthand'] === true) properties.add(nodeAt(node, 'key')!);
    if (node.type === 'Identifier' && !properties.has(node)) counts.set(node['name'] as string, (counts.get(node['name'] as string) ?? 0) + 1);
  });
  return counts;
}
