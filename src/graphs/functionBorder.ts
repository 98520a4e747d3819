/**
 * What belongs to a function: the ranges that are known of it, and parts that its jumps lead to. A jump to the
 * beginning of another function is a call in its place. A jump into the middle of one is code that both share, as in
 * the C library's string functions, or a part that the compiler has put elsewhere.
 */
import { FLOW, type FlowReader } from '../x86/flowReader.js';
import type { CodeSource, CodeStretch, KnownFunction } from './codeSource.js';

/** More code than in parts that compilers put elsewhere. */
const LARGEST_PART = 65_536;

export class FunctionBorder {
  readonly known: KnownFunction | undefined;
  private readonly parts: CodeStretch[];
  private readonly own: ReadonlySet<CodeStretch>;
  private readonly decided = new Map<number, boolean>();

  constructor(
    private readonly code: CodeSource,
    private readonly reader: FlowReader,
    readonly entry: number,
  ) {
    this.known = code.functionAt(entry) ?? code.functionAround(entry);
    this.parts = [...(this.known?.ranges ?? [])];
    this.own = new Set(this.parts);
  }

  /** Whether an address lies in one of the parts that are known by now. */
  contains(address: number): boolean {
    return this.partAround(address) !== undefined;
  }

  get ranges(): readonly CodeStretch[] {
    return this.parts;
  }

  /** Whether a jump of the function to the address stays in it. */
  takesIn(target: number): boolean {
    const part = this.partAround(target);
    if (part !== undefined) return !this.isEntryOfAnother(target, part);
    let known = this.decided.get(target);
    if (known === undefined) this.decided.set(target, (known = this.decide(target)));
    return known;
  }

  /** Whether control that goes on from one instruction to the next is still in the function. */
  goesOn(from: number, next: number): boolean {
    const part = this.partAround(from);
    if (part === undefined) return this.code.functionAt(next) === undefined;
    return next < part.end && !this.isEntryOfAnother(next, part);
  }

  /** Only parts of other functions have entries of others in them. */
  private isEntryOfAnother(address: number, part: CodeStretch): boolean {
    return address !== this.entry && !this.own.has(part) && this.code.functionAt(address) !== undefined;
  }

  private decide(target: number): boolean {
    const { code, known } = this;
    const begins = code.functionAt(target);
    if (begins !== undefined) return begins.name === undefined && known !== undefined && this.comesBack(begins);
    const around = code.functionAround(target);
    const part = around?.ranges.find((range) => isIn(range, target));
    if (part !== undefined) this.parts.push(part);
    return true;
  }

  /** Whether code that has no name jumps into the middle of this function: then it is a part of it. */
  private comesBack({ ranges }: KnownFunction): boolean {
    const [part] = ranges;
    if (part === undefined || part.end - part.start > LARGEST_PART) return false;
    const { reader } = this;
    for (let at = part.start; at < part.end; at = reader.next) {
      const kind = reader.read(at);
      const isJump = kind === FLOW.jump || kind === FLOW.conditional;
      if (!isJump || reader.target === this.entry || !this.contains(reader.target)) continue;
      this.parts.push(part);
      return true;
    }
    return false;
  }

  private partAround(address: number): CodeStretch | undefined {
    for (const part of this.parts) if (isIn(part, address)) return part;
    return undefined;
  }
}

function isIn({ start, end }: CodeStretch, address: number): boolean {
  return address >= start && address < end;
}
