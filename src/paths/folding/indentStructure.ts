/**
 * The structure of a source in a language that we have no grammar for, from its indentation alone: the lines that head
 * the blocks around a line are those above it that are indented less, each less than the one before; a block ends with
 * the first line after it that is indented as its head and closes something; in between, as deep as the head, are lines
 * with `else`.
 */
import type { CodeFunction, CodeStructure } from './structure.js';

const TAB = 8;
const CLOSES = /^(?:[)}\]]|end\b|fi\b|done\b|esac\b)/;
const ELSE = /^(?:[)}\]]?\s*)(?:else|elif|elsif|elseif|otherwise|except|catch|finally|rescue|ensure)\b/;
const FUNCTION = /\b(?:def|fn|func|function|fun|sub|proc|method)\s+([\w$.:~]+)/;
const CALLED = /([\w$:~.]+)\s*\([^;]*$/;
const KEYWORD = /^(?:if|for|while|switch|do|else|try|catch|with|match|unless|until|case|class|struct|impl|mod|namespace|return)\b/;
/** Farther up or down nothing is looked for. */
const FARTHEST = 20_000;

export class IndentStructure implements CodeStructure {
  private readonly indents: Int32Array;

  constructor(private readonly lines: readonly string[]) {
    this.indents = Int32Array.from(lines, indentOf);
  }

  functionAt(line: number): CodeFunction | undefined {
    const heads = [line, ...this.headsOf(line)];
    for (const head of heads) {
      const name = this.nameAt(head);
      if (name === undefined) continue;
      const frame = [...this.headLines(head), ...this.endOf(head, line)];
      return { name, from: Math.min(...frame), to: Math.max(line, ...frame), frame };
    }
    return undefined;
  }

  functionNamed(name: string): CodeFunction | undefined {
    const at = this.lines.findIndex((_, i) => this.nameAt(i + 1) === name);
    return at < 0 ? undefined : this.functionAt(at + 1);
  }

  *around(line: number): Generator<number> {
    for (const head of this.headsOf(line)) {
      yield* this.headLines(head);
      const [end] = this.endOf(head, line);
      if (end !== undefined) yield end;
      yield* this.elsesOf(head);
    }
    // A line that heads a block itself is shown with its end.
    if (this.opens(line)) yield* this.endOf(line, line);
  }

  /** The innermost first. */
  private headsOf(line: number): number[] {
    const heads: number[] = [];
    let limit = (this.indents[line - 1] ?? 0) < 0 ? this.nextIndent(line) : this.limitAt(line);
    for (let at = line - 1; at >= 1 && limit > 0 && line - at < FARTHEST; at--) {
      const indent = this.indents[at - 1]!;
      if (indent < 0 || indent >= limit || this.bare(at).startsWith('#')) continue;
      heads.push(at);
      limit = this.limitAt(at);
    }
    return heads;
  }

  /** Heads above a line are indented less; that of one that closes a block or goes on with one is indented alike. */
  private limitAt(line: number): number {
    const text = this.bare(line);
    return this.indents[line - 1]! + (CLOSES.test(text) || ELSE.test(text) ? 1 : 0);
  }

  private nextIndent(line: number): number {
    for (let at = line; at < this.lines.length && at - line < FARTHEST; at++) if (this.indents[at]! >= 0) return this.indents[at]!;
    return 0;
  }

  /** A brace in a line of its own belongs to the line before. */
  private headLines(head: number): number[] {
    if (this.bare(head) !== '{') return [head];
    for (let at = head - 1; at >= 1; at--) if (this.indents[at - 1]! >= 0) return [at, head];
    return [head];
  }

  private endOf(head: number, line: number): number[] {
    const indent = this.indents[head - 1]!;
    for (let at = line + 1; at <= this.lines.length && at - line < FARTHEST; at++) {
      const other = this.indents[at - 1]!;
      if (other < 0 || other > indent || (other === indent && ELSE.test(this.bare(at)))) continue;
      return other === indent && CLOSES.test(this.bare(at)) ? [at] : [];
    }
    return [];
  }

  private elsesOf(head: number): number[] {
    const indent = this.indents[head - 1]!;
    const found: number[] = [];
    for (let at = head + 1; at <= this.lines.length && at - head < FARTHEST; at++) {
      const other = this.indents[at - 1]!;
      if (other < 0 || other > indent) continue;
      const text = this.bare(at);
      if (other === indent && ELSE.test(text)) found.push(at);
      else if (other < indent || !(CLOSES.test(text) || text === '{')) break;
    }
    return found;
  }

  private opens(line: number): boolean {
    return /[{([:]\s*$|\b(?:then|do)\s*$/.test(this.lines[line - 1] ?? '');
  }

  private nameAt(line: number): string | undefined {
    const text = this.bare(line);
    const [, named] = FUNCTION.exec(text) ?? [];
    if (named !== undefined) return named;
    if (this.bare(line) === '{' && line > 1) return this.nameAt(line - 1);
    const opens = /\{\s*$/.test(text) || this.bare(line + 1) === '{';
    return !opens || KEYWORD.test(text) || this.indents[line - 1]! > 2 * TAB ? undefined : CALLED.exec(text)?.[1];
  }

  private bare(line: number): string {
    return (this.lines[line - 1] ?? '').trim();
  }
}

/** Negative for a line that is empty. */
function indentOf(line: string): number {
  let columns = 0;
  for (const character of line) {
    if (character === '\t') columns += TAB - (columns % TAB);
    else if (character === ' ') columns++;
    else return columns;
  }
  return -1;
}
