/** The column of offsets and sizes that GDB's `ptype/o` has before members, with holes and padding. */
import type { Member } from './typeParts.js';
import { strip, type StructType } from './types.js';

/** How wide the column is. */
export const LAYOUT_WIDTH = 27;
export const LAYOUT_TITLE = '/* offset      |    size */  ';

/** One structure's members as they are written, in order. Offsets are shown from the start of the outermost one. */
export class LayoutColumn {
  /** The bit after the last member; 0 before the first. */
  private end = 0;

  constructor(
    private readonly isHex: boolean,
    /** In bits, from the start of the outermost structure. */
    private readonly start = 0,
    private readonly isNested = false,
  ) {}

  /** What stands before a member: holes in lines of their own. */
  before(owner: StructType, member: Member): string {
    if (member.isStatic) return ' '.repeat(LAYOUT_WIDTH);
    const { size } = strip(member.type);
    if (owner.keyword === 'union') return `/* ${' '.repeat(15)}${this.number(size)} */`;
    const bit = member.bits?.offset ?? member.offset * 8;
    const hole = this.gap(bit, 'hole');
    this.end = bit + (member.bits?.size ?? size * 8);
    const place = this.start + bit;
    const isBits = member.bits !== undefined || this.start % 8 !== 0;
    const offset = isBits ? `${this.number(Math.floor(place / 8))}:${String(place % 8).padStart(2)}` : `${this.number(place / 8)}   `;
    return `${hole}/* ${offset}   |  ${this.number(size)} */`;
  }

  /** For the members of a member. */
  inside(member: Member): LayoutColumn {
    return new LayoutColumn(this.isHex, this.start + member.offset * 8, true);
  }

  /** GDB counts padding of a union inside something from the end of the last structure in it. */
  afterInside(owner: StructType, inner: LayoutColumn): void {
    if (owner.keyword === 'union' && this.isNested) this.end = inner.end;
  }

  /** What stands before the closing brace. */
  total(owner: StructType, column: number): string {
    return `${this.gap(owner.size * 8, 'padding')}\n${' '.repeat(LAYOUT_WIDTH + column + 4)}/* total size (bytes): ${String(owner.size).padStart(4)} */\n`;
  }

  private gap(bit: number, what: string): string {
    if (this.end === 0 || this.end >= bit) return '';
    const [bytes, bits] = [(bit - this.end) >> 3, (bit - this.end) & 7];
    const inBits = bits === 0 ? '' : `/* XXX ${String(bits).padStart(2)}-bit ${what.padEnd(7)}    */\n`;
    return `${inBits}${bytes === 0 ? '' : `/* XXX ${String(bytes).padStart(2)}-byte ${what.padEnd(7)}   */\n`}`;
  }

  private number(value: number): string {
    return this.isHex ? `0x${value.toString(16).padStart(4, '0')}` : String(value).padStart(6);
  }
}
