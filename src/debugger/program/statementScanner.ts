/**
 * Source text as statements, line by line. Line tables have columns, but the code of one statement has many of them:
 * the text says which belong together. It is a scanner, not a parser: it knows comments, literals, parentheses and a
 * few keywords of C and its relatives, and that is enough to tell apart what is written on one line.
 *
 * A statement of a line may have several *parts*, which control goes through one by one: the operands of `&&`, `||`
 * and `? :`. Parts of one statement are a *group*: control may come back to a part of it (to store what `a ? b : c`
 * came to) without beginning it again.
 */

/** Where a part begins: what joins it to the part before. */
type PartStart = 'statement' | '&&' | '||' | '?' | ':';

export interface LinePart {
  /** Columns, in bytes from 1 on, as compilers count them: [start, end). */
  readonly start: number;
  readonly end: number;
  /** Which group of the line it is in. */
  readonly group: number;
  readonly begins: PartStart;
  /** How deep in parentheses it begins. */
  readonly depth: number;
  /** Nothing but braces: it counts only where it has code. */
  readonly isBrace: boolean;
}

/** Of every line, from the first; a line that continues a statement has its own part of it. */
export function scanStatements(lines: readonly string[]): readonly (readonly LinePart[])[] {
  const scanner = new Scanner();
  return lines.map((line) => scanner.scan(line));
}

/** Heads in parentheses, after which a statement of its own begins. */
const HEADS: ReadonlySet<string> = new Set(['if', 'constexpr', 'while', 'switch', 'for', 'catch']);
/** What is no statement, if it is alone. */
const CONNECTIVES = /^(?:[\s{}();]|\b(?:else|do|try|default\s*:)(?=\W|$))*$/;
const WORD = /[\w$]/;

class Scanner {
  private inComment = false;
  private isContinuedDirective = false;
  private rawEnd: string | undefined;
  /** Parentheses that are open: whether it is the head of a statement, and conditionals that wait for their `:`. */
  private open: { readonly head: string | undefined; waiting: number }[] = [];
  private waiting = 0;
  private lastWord = '';
  private parts: LinePart[] = [];
  private start = 0;
  private group = 0;
  private begins: PartStart = 'statement';
  private depth = 0;
  private text = '';

  scan(line: string): readonly LinePart[] {
    this.parts = [];
    this.group = 0;
    this.text = '';
    this.start = 0;
    this.begins = 'statement';
    this.depth = this.open.length;
    if (!this.isDirective(line)) this.walk(line);
    this.cut(line.length, 'statement');
    const bytes = byteColumns(line);
    return this.parts.map((part) => ({ ...part, start: bytes(part.start), end: bytes(part.end) }));
  }

  /** Lines of the preprocessor are none of the program's. */
  private isDirective(line: string): boolean {
    const isOne = this.isContinuedDirective || (!this.inComment && this.rawEnd === undefined && /^\s*#/.test(line));
    this.isContinuedDirective = isOne && line.endsWith('\\');
    return isOne;
  }

  private walk(line: string): void {
    for (let i = 0; i < line.length; ) {
      const next = this.skipped(line, i);
      i = next > i ? next : this.token(line, i);
    }
  }

  /** Where a comment or literal that begins or goes on here ends. */
  private skipped(line: string, i: number): number {
    if (this.inComment || line.startsWith('/*', i)) {
      const end = line.indexOf('*/', this.inComment ? i : i + 2);
      this.inComment = end < 0;
      return end < 0 ? line.length : end + 2;
    }
    if (this.rawEnd !== undefined) {
      const end = line.indexOf(this.rawEnd, i);
      const after = end < 0 ? line.length : end + this.rawEnd.length;
      if (end >= 0) this.rawEnd = undefined;
      return after;
    }
    if (line.startsWith('//', i)) return line.length;
    const raw = /^(?:u8|[uUL])?R"([^\s()\\]{0,16})\(/.exec(line.slice(i, i + 24));
    if (raw !== null && !WORD.test(line[i - 1] ?? '')) {
      this.rawEnd = `)${raw[1]}"`;
      this.text += '"';
      return i + raw[0].length;
    }
    const quote = line[i];
    if (quote === '"' || (quote === "'" && !/[\da-fA-F]/.test(line[i - 1] ?? ''))) {
      this.text += '"';
      return afterLiteral(line, i, quote);
    }
    return i;
  }

  private token(line: string, i: number): number {
    const char = line[i] as string;
    if (WORD.test(char)) return this.word(line, i);
    const pair = line.slice(i, i + 2);
    if (pair === '&&' || pair === '||') {
      // `T &&x` of C++ is a reference; it has no code of its own, so a part too many does no harm.
      this.cut(i, pair);
      this.text += pair;
      return i + 2;
    }
    if (pair === '::') {
      this.text += pair;
      return i + 2;
    }
    switch (char) {
      case '(': this.enter(); break;
      case ')': return this.leave(i);
      case '?': this.cut(i, '?'); this.waiting++; break;
      case ':': return this.colon(i);
      case ';': return this.semicolon(i);
      case '{': case '}': return this.brace(i, char);
      default: break;
    }
    this.text += char;
    return i + 1;
  }

  private word(line: string, i: number): number {
    const word = /^[\w$]+/.exec(line.slice(i))?.[0] ?? '';
    const end = i + word.length;
    this.text += word;
    this.lastWord = word;
    if (word === 'else' || word === 'do') this.cut(end, 'statement');
    return end;
  }

  private enter(): void {
    const { lastWord } = this;
    this.open.push({ head: HEADS.has(lastWord) && this.text.trimEnd().endsWith(lastWord) ? lastWord : undefined, waiting: this.waiting });
    this.waiting = 0;
  }

  private leave(i: number): number {
    const opened = this.open.pop();
    this.waiting = opened?.waiting ?? 0;
    this.text += ')';
    if (opened?.head !== undefined) this.cut(i + 1, 'statement');
    return i + 1;
  }

  private colon(i: number): number {
    if (this.waiting > 0) {
      this.waiting--;
      this.cut(i, ':');
      this.text += ':';
    } else {
      this.text += ':';
      if (this.open.length === 0 && isLabel(this.text)) this.drop(i + 1);
    }
    return i + 1;
  }

  /** In the head of a `for` it ends a part. In other parentheses there is none, but for lambdas. */
  private semicolon(i: number): number {
    this.text += ';';
    if (this.open.at(-1)?.head !== 'for') this.waiting = 0;
    this.cut(i + 1, 'statement');
    return i + 1;
  }

  private brace(i: number, char: string): number {
    // Of an initialiser, or of a type's list: no statement ends.
    if (char === '{' && /[=,(]\s*$/.test(this.text)) {
      this.text += char;
      return i + 1;
    }
    if (char === '}' && (this.text.match(/\{/g)?.length ?? 0) > 0) {
      this.text += char;
      return i + 1;
    }
    // A function begins with its brace, which has the code of its entry.
    if (char === '}' || CONNECTIVES.test(this.text)) this.cut(i, 'statement');
    this.text += char;
    this.cut(i + 1, 'statement');
    return i + 1;
  }

  /** A label is no statement: what comes after it is. */
  private drop(i: number): void {
    this.text = '';
    this.start = i;
    this.lastWord = '';
  }

  private cut(end: number, next: PartStart): void {
    const { text, start, group, begins, depth } = this;
    const isBrace = CONNECTIVES.test(text);
    const isEmpty = text.trim() === '' || (isBrace && !/[{}]/.test(text));
    if (!isEmpty) this.parts.push({ start, end, group, begins, depth, isBrace });
    if (next === 'statement') this.group = (this.parts.at(-1)?.group ?? -1) + 1;
    this.start = end;
    this.text = '';
    this.begins = next;
    this.depth = this.open.length;
  }
}

/** `case 1:`, `default:`, `again:`, but not `public:`, which has no code either way. */
function isLabel(text: string): boolean {
  return /^\s*(?:case\b.*|[A-Za-z_$][\w$]*\s*):$/.test(text);
}

function afterLiteral(line: string, i: number, quote: string): number {
  for (let at = i + 1; at < line.length; at++) {
    if (line[at] === '\\') at++;
    else if (line[at] === quote) return at + 1;
  }
  return line.length;
}

/** From indices to columns: compilers count bytes. */
function byteColumns(line: string): (index: number) => number {
  // oxlint-disable-next-line no-control-regex
  if (/^[\u0000-\u007f]*$/.test(line)) return (index) => index + 1;
  const encoder = new TextEncoder();
  return (index) => encoder.encode(line.slice(0, index)).length + 1;
}
