/**
 * The structure of C and C++ from the syntax trees of tree-sitter, which reads code that does not compile, too. Only
 * statements and definitions are looked at; expressions are not, but for lambdas.
 */
import type { Node, Tree } from 'web-tree-sitter';
import { type Block, BlockStructure } from './structure.js';

/** Statements with a guard before their body. */
const GUARDED: ReadonlySet<string> = new Set(['for_statement', 'while_statement', 'switch_statement', 'for_range_loop']);
/** Lists of members and initialisers, where no function is around. */
const LISTS: ReadonlySet<string> = new Set(['field_declaration_list', 'enumerator_list']);
/** What has no statements in it. */
const LEAVES: ReadonlySet<string> = new Set(['comment', 'preproc_include', 'preproc_def', 'preproc_function_def', 'preproc_call', 'return_statement', 'break_statement', 'continue_statement', 'goto_statement', 'using_declaration',
  'parameter_list', 'argument_list', 'string_literal', 'number_literal', 'identifier', 'primitive_type', 'type_identifier', 'parenthesized_expression', 'condition_clause', 'static_assert_declaration']);
/** Nested deeper than this nothing is looked at: no code is, and the stack has an end. */
const DEEPEST = 1500;

export function treeStructure(tree: Tree, hasLambdas: boolean): BlockStructure {
  return new BlockStructure(new Blocks(hasLambdas).below(tree.rootNode, 0));
}

class Blocks {
  constructor(private readonly hasLambdas: boolean) {}

  /** Blocks among the descendants of a node. */
  below(node: Node, depth: number): Block[] {
    if (depth > DEEPEST) return [];
    return node.namedChildren.flatMap((child) => (child === null ? [] : this.of(child, depth + 1)));
  }

  private of(node: Node, depth: number): Block[] {
    const { type } = node;
    if (LEAVES.has(type)) return [];
    if (type === 'expression_statement' || type === 'declaration') return this.hasLambdas && node.text.includes('[') ? this.lambdas(node, depth) : type === 'declaration' ? this.listsIn(node, depth) : [];
    if (type === 'function_definition') return [this.functionBlock(node, depth)];
    const inner = this.below(node, depth);
    const frame = frameOf(node);
    if (frame === undefined) return inner;
    return [{ from: firstLine(node), to: lastLine(node), frame, inner }];
  }

  private functionBlock(node: Node, depth: number): Block {
    const body = node.childForFieldName('body');
    const [from, to] = [firstLine(node), lastLine(node)];
    const opening = body === null ? from : firstLine(body);
    const name = nameOf(node);
    return { from, to, frame: [...lines(from, opening), to], ...(name === undefined ? {} : { function: name }), inner: body === null ? [] : this.below(body, depth) };
  }

  /** Those that are not inside of others, which are found in these. */
  private lambdas(node: Node, depth: number): Block[] {
    let end = -1;
    return node.descendantsOfType('lambda_expression').flatMap((lambda) => {
      const body = lambda?.childForFieldName('body') ?? null;
      if (lambda === null || body === null || lambda.startIndex < end) return [];
      end = lambda.endIndex;
      return [{ from: firstLine(lambda), to: lastLine(lambda), frame: [...lines(firstLine(lambda), firstLine(body)), lastLine(body)], inner: this.below(body, depth) }];
    });
  }

  /** `static struct { ... } x;` */
  private listsIn(node: Node, depth: number): Block[] {
    const type = node.childForFieldName('type');
    return type !== null && type.type.endsWith('_specifier') && lastLine(type) > firstLine(type) ? this.of(type, depth) : [];
  }
}

/** The lines that are shown of a node if a line in it is; undefined if it is no block. */
function frameOf(node: Node): number[] | undefined {
  const { type } = node;
  if (type === 'compound_statement' || LISTS.has(type)) return [firstLine(node), lastLine(node)];
  if (type === 'if_statement') return [...headOf(node), ...elseLines(node), ...endOf(node)];
  if (GUARDED.has(type)) return [...headOf(node), ...endOf(node)];
  if (type === 'do_statement') return [firstLine(node), ...doGuard(node)];
  if (type === 'case_statement' || type === 'else_clause' || type === 'try_statement' || type === 'catch_clause') return [firstLine(node)];
  if (type === 'class_specifier' || type === 'struct_specifier' || type === 'union_specifier' || type === 'enum_specifier') return node.childForFieldName('body') === null ? undefined : [firstLine(node)];
  return undefined;
}

/** From the keyword to the bracket that closes the guard. */
function headOf(node: Node): number[] {
  const body = bodyOf(node);
  const before = body?.previousNamedSibling ?? null;
  const close = node.children.findLast((child) => child?.type === ')')?.endPosition.row;
  const guard = node.childForFieldName('condition');
  const end = guard !== null ? lastLine(guard) : close !== undefined ? close + 1 : before !== null ? lastLine(before) : firstLine(node);
  return lines(firstLine(node), Math.max(firstLine(node), end));
}

/** The line that a brace ends it in; what ends without one is the content of a branch. */
function endOf(node: Node): number[] {
  const last = lastBranch(node);
  return last !== null && last.type === 'compound_statement' ? [lastLine(node)] : [];
}

/** The last branch of a chain of `if` and `else if`, or the body of another statement. */
function lastBranch(node: Node): Node | null {
  for (let at = node; ; ) {
    const other = at.type === 'if_statement' ? at.childForFieldName('alternative') : null;
    if (other === null) return bodyOf(at);
    if (!isChained(other)) return other.lastNamedChild;
    at = other.lastNamedChild!;
  }
}

function bodyOf(node: Node): Node | null {
  return node.childForFieldName('consequence') ?? node.childForFieldName('body') ?? node.lastNamedChild;
}

/** The lines with `else` of a whole chain. */
function elseLines(node: Node): number[] {
  const found: number[] = [];
  for (let at: Node | null = node; at?.type === 'if_statement'; ) {
    const other: Node | null = at.childForFieldName('alternative');
    if (other !== null) found.push(firstLine(other));
    at = other !== null && isChained(other) ? other.lastNamedChild : null;
  }
  return found;
}

/** `else if` in one line goes on with a chain; an `if` in a line below its `else` is a statement of its own. */
function isChained(other: Node): boolean {
  const inner = other.lastNamedChild;
  return inner?.type === 'if_statement' && firstLine(inner) === firstLine(other);
}

/** `} while (condition);` */
function doGuard(node: Node): number[] {
  const keyword = node.children.find((child) => child?.type === 'while');
  return keyword === undefined || keyword === null ? [lastLine(node)] : lines(firstLine(keyword), lastLine(node));
}

function nameOf(node: Node): string | undefined {
  let at = node.childForFieldName('declarator');
  for (let i = 0; at !== null && i < DEEPEST; i++) {
    const next = at.childForFieldName('declarator') ?? (at.type === 'reference_declarator' || at.type === 'parenthesized_declarator' ? at.lastNamedChild : null);
    if (next === null) return at.text.replace(/\s+/g, ' ');
    at = next;
  }
  return undefined;
}

function firstLine(node: Node): number {
  return node.startPosition.row + 1;
}

/** A node that ends with its line's end is reported as if it ended in the next. */
function lastLine(node: Node): number {
  const { row, column } = node.endPosition;
  return column === 0 && row > node.startPosition.row ? row : row + 1;
}

function lines(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
}
