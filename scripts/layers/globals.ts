/**
 * Which global names a file uses: names that none of its scopes declares. Types do not count; they are gone when the
 * program runs.
 */
import { boundNames } from './exports.js';
import { childrenOf, nodeAt, nodesAt, visit } from './syntax.js';
import type { SyntaxNode } from './syntax.js';

export interface GlobalUse {
  readonly name: string;
  readonly node: SyntaxNode;
  /** The nodes around it, the nearest first. */
  readonly around: readonly SyntaxNode[];
}

/** TypeScript's nodes that have code in them. All others are types. */
const CODE: ReadonlySet<string> = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression', 'TSTypeAssertion',
  'TSInstantiationExpression', 'TSParameterProperty', 'TSExportAssignment', 'TSModuleDeclaration', 'TSModuleBlock', 'TSEnumDeclaration',
  'TSEnumBody', 'TSEnumMember', 'TSAbstractPropertyDefinition', 'TSAbstractMethodDefinition', 'TSImportEqualsDeclaration']);

const FUNCTIONS: ReadonlySet<string> = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

export function globalUses(program: SyntaxNode): GlobalUse[] {
  const uses: GlobalUse[] = [];
  const walk = (node: SyntaxNode, around: readonly SyntaxNode[], outer: ReadonlySet<string>): void => {
    if (node.type.startsWith('TS') && !CODE.has(node.type)) return;
    const declared = declaredIn(node);
    const scope = declared.length === 0 ? outer : new Set([...outer, ...declared]);
    if (node.type === 'Identifier') {
      if (!scope.has(node['name'] as string) && isReference(node, around[0])) uses.push({ name: node['name'] as string, node, around });
      return;
    }
    const inside = [node, ...around];
    for (const child of childrenOf(node)) walk(child, inside, scope);
  };
  walk(program, [], new Set());
  return uses;
}

/** What a node declares for everything below it. */
function declaredIn(node: SyntaxNode): string[] {
  if (FUNCTIONS.has(node.type)) return [...boundNames(nodeAt(node, 'id')), ...nodesAt(node, 'params').flatMap(boundNames), ...hoisted(nodeAt(node, 'body'))];
  switch (node.type) {
    case 'Program': return [...nodesAt(node, 'body').flatMap(declaredBy), ...hoisted(node)];
    case 'BlockStatement': case 'StaticBlock': case 'TSModuleBlock': return nodesAt(node, 'body').flatMap(declaredBy);
    case 'SwitchStatement': return nodesAt(node, 'cases').flatMap((one) => nodesAt(one, 'consequent')).flatMap(declaredBy);
    case 'ForStatement': return declaredBy(nodeAt(node, 'init'));
    case 'ForInStatement': case 'ForOfStatement': return declaredBy(nodeAt(node, 'left'));
    case 'CatchClause': return boundNames(nodeAt(node, 'param'));
    case 'ClassDeclaration': case 'ClassExpression': return boundNames(nodeAt(node, 'id'));
    default: return [];
  }
}

/**
 * What a statement declares for the block it stands in. Types have no part in it: a type may have the name of a global
 * value.
 */
function declaredBy(statement: SyntaxNode | null): string[] {
  switch (statement?.type) {
    case 'VariableDeclaration': return statement['declare'] === true ? [] : nodesAt(statement, 'declarations').flatMap((one) => boundNames(nodeAt(one, 'id')));
    case 'FunctionDeclaration': case 'ClassDeclaration': case 'TSEnumDeclaration': return boundNames(nodeAt(statement, 'id'));
    case 'ExportNamedDeclaration': return declaredBy(nodeAt(statement, 'declaration'));
    case 'ImportDeclaration': return nodesAt(statement, 'specifiers').flatMap((one) => boundNames(nodeAt(one, 'local')));
    default: return [];
  }
}

/** Variables of `var`, from however deep in a function. */
function hoisted(body: SyntaxNode | null): string[] {
  const names: string[] = [];
  if (body !== null) visit(body, (node) => void (node.type === 'VariableDeclaration' && node['kind'] === 'var' && names.push(...declaredBy(node))));
  return names;
}

/**
 * Whether an identifier means a variable: not the name of a property, a label or what another module calls something.
 */
function isReference(node: SyntaxNode, parent: SyntaxNode | undefined): boolean {
  switch (parent?.type) {
    case 'MemberExpression': return parent['object'] === node || parent['computed'] === true;
    case 'Property': case 'MethodDefinition': case 'PropertyDefinition': case 'AccessorProperty': case 'TSAbstractPropertyDefinition': case 'TSAbstractMethodDefinition':
      return parent['value'] === node || parent['computed'] === true;
    case 'LabeledStatement': case 'BreakStatement': case 'ContinueStatement': case 'MetaProperty': case 'ImportSpecifier': case 'TSEnumMember': return false;
    case 'ExportSpecifier': return parent['local'] === node;
    default: return true;
  }
}
