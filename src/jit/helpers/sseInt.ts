/**
 * pcmpistri and family up to IntRes2 of the manual, once for bytes and once for words.
 *
 *   (x, y, length of x, length of y, control byte) -> one bit for each element of y
 *
 * What x is depends on the aggregation (control bits 2..3): a set of elements, a list of ranges
 * (pairs of bounds), a string to compare element by element, or a string to find in y.
 */
import type { Code } from '../../wasm/code.js';
import type { HelperDef } from '../emit.js';

const X = 0;
const Y = 1;
const LENGTH_X = 2;
const LENGTH_Y = 3;
const CONTROL = 4;

const AGGREGATION = { anyOf: 0, ranges: 1, eachEqual: 2, ordered: 3 } as const;
const SIGNED = 2;
const NEGATE = 0x10;
const ONLY_VALID = 0x20;

class StringCompare {
  private readonly bits: number;
  private readonly valid: number;
  private readonly index: number;
  private readonly shape: 'i8x16' | 'i16x8';
  /** A bit for each element. */
  private readonly all: number;

  constructor(
    private readonly code: Code,
    private readonly wide: boolean,
  ) {
    this.shape = wide ? 'i16x8' : 'i8x16';
    this.all = wide ? 0xff : 0xffff;
    this.bits = code.local('i32', 'bits');
    this.valid = code.local('i32', 'valid');
    this.index = code.local('i32', 'index');
  }

  build(): void {
    const { code } = this;
    this.biasIfSigned();
    this.maskBelow(LENGTH_Y);
    code.set(this.valid);
    this.when(AGGREGATION.anyOf, () => this.anyOf());
    this.when(AGGREGATION.ranges, () => this.ranges());
    this.when(AGGREGATION.eachEqual, () => this.eachEqual());
    this.when(AGGREGATION.ordered, () => this.ordered());
    this.polarity();
    code.get(this.bits).i32(this.all).op('i32.and');
  }

  /** Flipping the sign bits turns signed order into unsigned order, and keeps equality. */
  private biasIfSigned(): void {
    const { code } = this;
    const bias = Uint8Array.from({ length: 16 }, (_, i) => (this.wide && !(i & 1) ? 0 : 0x80));
    code.get(CONTROL).i32(SIGNED).op('i32.and').if_();
    for (const v of [X, Y]) code.get(v).v128(bias).op('v128.xor').set(v);
    code.end();
  }

  private when(aggregation: number, body: () => void): void {
    this.code.get(CONTROL).i32(12).op('i32.and').i32(aggregation << 2).op('i32.eq').if_();
    body();
    this.code.end();
  }

  private anyOf(): void {
    this.eachElement(1, () => {
      this.element(0);
      this.code.get(Y);
      this.equal();
      this.code.get(this.bits).op('i32.or').set(this.bits);
    });
    this.keepValid();
  }

  private ranges(): void {
    this.eachElement(2, () => {
      this.code.get(Y);
      this.element(0);
      this.code.op(`${this.shape}.ge_u`).get(Y);
      this.element(1);
      this.code.op(`${this.shape}.le_u`).op('v128.and').op(`${this.shape}.bitmask`);
      this.code.get(this.bits).op('i32.or').set(this.bits);
    });
    this.keepValid();
  }

  /** Equal elements within both strings; where both have ended, equal too. */
  private eachEqual(): void {
    const { code } = this;
    code.get(X).get(Y);
    this.equal();
    code.get(this.valid).op('i32.and');
    this.maskBelow(LENGTH_X);
    code.tee(this.index).op('i32.and');
    code.get(this.index).get(this.valid).op('i32.or').i32(-1).op('i32.xor').op('i32.or').set(this.bits);
  }

  /** Bit j: x occurs at j, or runs beyond the vector without a difference. */
  private ordered(): void {
    const { code } = this;
    code.i32(this.all).set(this.bits);
    this.eachElement(1, () => {
      this.element(0);
      code.get(Y);
      this.equal();
      code.get(this.valid).op('i32.and').get(this.index).op('i32.shr_u');
      code.i32(this.all).get(this.index).op('i32.shr_u').i32(-1).op('i32.xor').op('i32.or');
      code.get(this.bits).op('i32.and').set(this.bits);
    });
  }

  private polarity(): void {
    const { code } = this;
    code.get(CONTROL).i32(NEGATE).op('i32.and').if_();
    code.get(this.bits);
    code.get(this.valid).i32(-1).get(CONTROL).i32(ONLY_VALID).op('i32.and').select();
    code.op('i32.xor').set(this.bits).end();
  }

  /** Runs the body with index = 0, step, ... while all `step` elements are within x. */
  private eachElement(step: number, body: () => void): void {
    const { code, index } = this;
    code.i32(0).set(index);
    const done = code.block();
    const next = code.loop();
    code.get(index).i32(step).op('i32.add').get(LENGTH_X).op('i32.gt_u').brIf(done);
    body();
    code.get(index).i32(step).op('i32.add').set(index).br(next).end().end();
  }

  /** Pushes x[index + offset] in all elements. */
  private element(offset: number): void {
    const { code } = this;
    code.get(X).get(this.index).i32(offset).op('i32.add');
    if (this.wide) code.i32(0x0202).op('i32.mul').i32(0x0100).op('i32.add').op('i16x8.splat');
    else code.op('i8x16.splat');
    code.op('i8x16.swizzle');
  }

  /** The two vectors on the stack -> a bit for each pair of equal elements. */
  private equal(): void {
    this.code.op(`${this.shape}.eq`).op(`${this.shape}.bitmask`);
  }

  private keepValid(): void {
    this.code.get(this.bits).get(this.valid).op('i32.and').set(this.bits);
  }

  /** Pushes a mask of the elements before the length. */
  private maskBelow(length: number): void {
    this.code.i32(1).get(length).op('i32.shl').i32(1).op('i32.sub');
  }
}

function definition(name: string, wide: boolean): HelperDef {
  return {
    name,
    params: ['v128', 'v128', 'i32', 'i32', 'i32'],
    results: ['i32'],
    build: (code) => new StringCompare(code, wide).build(),
  };
}

export const SSE_INT_HELPERS: readonly HelperDef[] = [definition('pcmpstr.bytes', false), definition('pcmpstr.words', true)];
