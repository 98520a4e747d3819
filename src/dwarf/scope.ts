/**
 * Where names are visible: a function, a copy of an inlined function, or a block of one. Scopes form a tree below each
 * function; levels and variables are read when asked for. Blocks without addresses are no scopes: what is in them
 * belongs to what is around.
 */
import type { Die } from './die.js';
import { AT, TAG } from './dwarfConstants.js';
import { FunctionInfo } from './functionInfo.js';
import type { SourceFile } from './lineHeader.js';
import { contains, rangesOf, type AddressRange } from './ranges.js';
import { Variable } from './variable.js';

type ScopeKind = 'function' | 'inlined' | 'block';

/** Deeper ones are nonsense. */
const DEEPEST = 256;

export class Scope {
  readonly kind: ScopeKind;
  private rangeList: readonly AddressRange[] | undefined;
  private scopes: readonly Scope[] | undefined;
  private variableList: readonly Variable[] | undefined;
  private info: FunctionInfo | undefined;
  private readonly depth: number;

  constructor(
    readonly die: Die,
    readonly parent: Scope | undefined,
  ) {
    this.kind = die.tag === TAG.SUBPROGRAM ? 'function' : die.tag === TAG.INLINED_SUBROUTINE ? 'inlined' : 'block';
    this.depth = parent === undefined ? 0 : parent.depth + 1;
  }

  get ranges(): readonly AddressRange[] {
    this.rangeList ??= rangesOf(this.die);
    return this.rangeList;
  }

  contains(address: number): boolean {
    return contains(this.ranges, address);
  }

  /**
   * Where it is entered: where the first stretch begins. GCC may name another address for copies (DW_AT_entry_pc), but
   * that one often is not yet in the copy, so a user who stops there would not see it.
   */
  get entry(): number {
    return this.ranges[0]?.low ?? 0;
  }

  /** What function the code is of: of a block, that of the scope around it. */
  get function(): FunctionInfo {
    if (this.kind === 'block' && this.parent !== undefined) return this.parent.function;
    this.info ??= new FunctionInfo(this.die);
    return this.info;
  }

  /** Of an inlined copy: the place of the call that it replaces. */
  get call(): { readonly file: SourceFile | undefined; readonly line: number; readonly column: number } | undefined {
    if (this.kind !== 'inlined') return undefined;
    const { die } = this;
    return { file: die.unit.file(die.number(AT.CALL_FILE)), line: die.number(AT.CALL_LINE) ?? 0, column: die.number(AT.CALL_COLUMN) ?? 0 };
  }

  /** Scopes one level down. */
  get children(): readonly Scope[] {
    this.scopes ??= this.depth >= DEEPEST ? [] : [...this.childDies()].filter(isScopeTag).map((die) => new Scope(die, this));
    return this.scopes;
  }

  /** Parameters and variables declared right here, parameters first as in the source. */
  get variables(): readonly Variable[] {
    this.variableList ??= this.readVariables();
    return this.variableList;
  }

  /** The function, copy or block that an address is in, innermost first, this one last. */
  chainAt(address: number): Scope[] {
    const around = this.children.filter((child) => child.contains(address));
    const [first, ...others] = around;
    if (first === undefined) return [this];
    // Copies whose code was mixed may overlap: then the one that begins last, and of those the shortest.
    const inner = others.reduce((best, other) => (other.start > best.start || (other.start === best.start && other.end <= best.end) ? other : best), first);
    return [...inner.chainAt(address), this];
  }

  private get start(): number {
    return Math.min(...this.ranges.map(({ low }) => low));
  }

  private get end(): number {
    return Math.max(...this.ranges.map(({ high }) => high));
  }

  private *childDies(): Generator<Die> {
    yield* flattened(this.die, 0);
  }

  /** Variables here, and those of the original that this copy has no trace of any more. */
  private readVariables(): Variable[] {
    const own = [...this.childDies()].filter(isVariableTag);
    const origin = this.die.reference(AT.ABSTRACT_ORIGIN);
    if (origin === undefined) return own.map((die) => new Variable(die));
    const known = new Set<string>();
    for (const die of this.die.children()) for (const original of die.origins()) known.add(keyOf(original));
    return [...own, ...lostVariables(origin, known)].map((die) => new Variable(die));
  }
}

/**
 * Variables of an original that is not among those known to its copy. Blocks that the copy has take care of their own.
 */
function lostVariables(origin: Die, known: ReadonlySet<string>): Die[] {
  return [...origin.children()].filter((die) => !known.has(keyOf(die))).flatMap((die) => {
    if (isVariableTag(die)) return [die];
    return die.tag === TAG.LEXICAL_BLOCK && !hasAddresses(die) ? [...flattened(die, 0)].filter(isVariableTag) : [];
  });
}

/** Children, with those of blocks without addresses in place of the blocks. */
function* flattened(die: Die, depth: number): Generator<Die> {
  for (const child of die.children()) {
    if (child.tag === TAG.LEXICAL_BLOCK && !hasAddresses(child) && depth < DEEPEST) yield* flattened(child, depth + 1);
    else yield child;
  }
}

function hasAddresses(die: Die): boolean {
  return die.has(AT.LOW_PC) || die.has(AT.RANGES);
}

function isScopeTag(die: Die): boolean {
  const block = die.tag === TAG.LEXICAL_BLOCK || die.tag === TAG.TRY_BLOCK || die.tag === TAG.CATCH_BLOCK;
  return (block || die.tag === TAG.INLINED_SUBROUTINE) && hasAddresses(die);
}

function isVariableTag(die: Die): boolean {
  return die.tag === TAG.VARIABLE || die.tag === TAG.FORMAL_PARAMETER;
}

function keyOf(die: Die): string {
  return `${die.unit.offset}/${die.offset}`;
}
