/**
 * What makes two runs differ, or knows Node: only the folders that talk to the outside may use it. Everything else must
 * be replayable.
 */
import { globalUses } from './globals.js';
import type { GlobalUse } from './globals.js';
import { ALLOWED_GLOBALS } from './layers.js';
import { isNode, nodeAt, textOf } from './syntax.js';
import type { Source, SyntaxNode } from './syntax.js';

/** Clocks, randomness, timers, Node, the network, and code from texts. */
const FORBIDDEN: ReadonlySet<string> = new Set(['Date', 'performance', 'process', 'setTimeout', 'setInterval', 'setImmediate', 'crypto', 'fetch', 'require', 'module',
  'Buffer', '__dirname', '__filename', 'eval', 'navigator', 'Worker', 'FinalizationRegistry']);
/** Of these, some properties are forbidden; which ones are used must be plain. */
const FORBIDDEN_PARTS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['Math', new Set(['random'])],
  ...['globalThis', 'global', 'self', 'window'].map((name) => [name, FORBIDDEN] as const),
]);

export interface Impurity {
  readonly line: number;
  readonly what: string;
}

export function impuritiesOf(source: Source): Impurity[] {
  const allowed = ALLOWED_GLOBALS.get(source.path);
  return globalUses(source.program).filter(({ name }) => name !== allowed).flatMap((use) => {
    const what = FORBIDDEN.has(use.name) ? use.name : forbiddenPart(use);
    return what === null || isAsked(use) ? [] : [{ what, line: source.lineAt(use.node.start) }];
  });
}

/** `typeof process` asks whether there is one. */
function isAsked({ around: [parent] }: GlobalUse): boolean {
  return parent?.type === 'UnaryExpression' && parent['operator'] === 'typeof';
}

function forbiddenPart({ name, node, around: [parent] }: GlobalUse): string | null {
  const forbidden = FORBIDDEN_PARTS.get(name);
  if (forbidden === undefined) return null;
  const parts = parent === undefined ? null : partsTaken(node, parent);
  if (parts === null) return `${name} under another name`;
  const part = parts.find((one) => forbidden.has(one) || FORBIDDEN_PARTS.has(one));
  return part === undefined ? null : `${name}.${part}`;
}

/** Which properties are taken of a global object; null if that cannot be seen. */
function partsTaken(node: SyntaxNode, parent: SyntaxNode): string[] | null {
  if (parent.type === 'MemberExpression') {
    const property = nodeAt(parent, 'property');
    const name = parent['computed'] === true && property?.type === 'Identifier' ? null : textOf(property);
    return name === null ? null : [name];
  }
  const pattern = parent.type === 'VariableDeclarator' && parent['init'] === node ? parent['id'] : parent.type === 'AssignmentExpression' ? parent['left'] : null;
  if (!isNode(pattern) || pattern.type !== 'ObjectPattern') return null;
  const properties = (pattern['properties'] as SyntaxNode[]).map((one) => (one.type === 'Property' && one['computed'] === false ? textOf(nodeAt(one, 'key')) : null));
  return properties.includes(null) ? null : (properties as string[]);
}
