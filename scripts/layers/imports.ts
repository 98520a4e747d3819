/** What a file imports, in all the ways that the language has. */
import { constantText, nodeAt, nodesAt, textOf, visit } from './syntax.js';
import type { Source, SyntaxNode } from './syntax.js';

export interface Import {
  readonly line: number;
  /** As it is written, `./x.js` or `node:fs`; null if it is computed. */
  readonly module: string | null;
  /** The names that are taken from the module; 'all' if it is not known which. */
  readonly names: readonly string[] | 'all';
  /** What the file calls the names if it only hands them on, by the module's name; 'all' for `export *`. */
  readonly handedOn: ReadonlyMap<string, string> | 'all' | null;
}

const DYNAMIC: ReadonlySet<string> = new Set(['ImportExpression', 'TSImportType', 'CallExpression', 'TSExternalModuleReference']);

const known = new WeakMap<Source, readonly Import[]>();

export function importsOf(source: Source): readonly Import[] {
  const imports = known.get(source) ?? findImports(source);
  known.set(source, imports);
  return imports;
}

function findImports(source: Source): Import[] {
  const found: Import[] = [];
  // Few files have imports elsewhere than in their statements, and looking at all nodes takes long.
  const isPlain = !/\b(?:import|require)\s*(?:\/[/*]|\()/.test(source.text);
  const look: typeof visit = isPlain ? (program, see) => nodesAt(program, 'body').forEach(see) : visit;
  const destructured = isPlain ? new Map<SyntaxNode, string[]>() : destructuredImports(source.program);
  look(source.program, (node) => {
    const line = (): number => source.lineAt(node.start);
    if (node.type === 'ImportDeclaration') {
      found.push({ line: line(), module: moduleOf(node), names: importedNames(node), handedOn: null });
    } else if (node.type === 'ExportAllDeclaration') {
      found.push({ line: line(), module: moduleOf(node), names: 'all', handedOn: node['exported'] === null ? 'all' : null });
    } else if (node.type === 'ExportNamedDeclaration' && node['source'] !== null) {
      const handedOn = new Map(nodesAt(node, 'specifiers').map((one) => [textOf(nodeAt(one, 'local')) ?? '', textOf(nodeAt(one, 'exported')) ?? '']));
      found.push({ line: line(), module: moduleOf(node), names: [...handedOn.keys()], handedOn });
    } else if (DYNAMIC.has(node.type)) {
      const argument = dynamicArgument(node);
      if (argument === null) return;
      found.push({ line: line(), module: constantText(argument), names: destructured.get(node) ?? qualifier(node) ?? 'all', handedOn: null });
    }
  });
  return found;
}

function moduleOf(node: SyntaxNode): string | null {
  return constantText(nodeAt(node, 'source'));
}

function importedNames(node: SyntaxNode): readonly string[] | 'all' {
  const specifiers = nodesAt(node, 'specifiers');
  if (specifiers.some((one) => one.type === 'ImportNamespaceSpecifier')) return 'all';
  return specifiers.map((one) => (one.type === 'ImportDefaultSpecifier' ? 'default' : textOf(nodeAt(one, 'imported')) ?? ''));
}

/** Of `import(x)`, `require(x)`, `typeof import(x)` and `import y = require(x)`: x. */
function dynamicArgument(node: SyntaxNode): SyntaxNode | null {
  if (node.type === 'ImportExpression' || node.type === 'TSImportType') return nodeAt(node, 'source');
  if (node.type === 'TSExternalModuleReference') return nodeAt(node, 'expression');
  const callee = nodeAt(node, 'callee');
  const isRequire = callee?.type === 'Identifier' && callee['name'] === 'require';
  return isRequire ? nodesAt(node, 'arguments')[0] ?? null : null;
}

/** `import('./x.js').Name` takes one name. */
function qualifier(node: SyntaxNode): string[] | null {
  const name = textOf(nodeAt(node, 'qualifier'));
  return name === null ? null : [name];
}

/** `const { a, b: c } = await import('./x.js')` and `import('./x.js').then(({ a }) => …)` take the names a and b. */
function destructuredImports(program: SyntaxNode): Map<SyntaxNode, string[]> {
  const found = new Map<SyntaxNode, string[]>();
  visit(program, (node) => {
    let [pattern, value] = [nodeAt(node, 'id'), nodeAt(node, 'init')];
    if (node.type === 'CallExpression') {
      const callee = nodeAt(node, 'callee');
      if (callee?.type !== 'MemberExpression' || textOf(nodeAt(callee, 'property')) !== 'then') return;
      [pattern, value] = [nodesAt(nodesAt(node, 'arguments')[0] ?? node, 'params')[0] ?? null, nodeAt(callee, 'object')];
    }
    if (value?.type === 'AwaitExpression') value = nodeAt(value, 'argument');
    if (value?.type !== 'ImportExpression' || pattern?.type !== 'ObjectPattern') return;
    const properties = nodesAt(pattern, 'properties');
    if (properties.every((one) => one.type === 'Property' && one['computed'] === false)) found.set(value, properties.map((one) => textOf(nodeAt(one, 'key')) ?? ''));
  });
  return found;
}
