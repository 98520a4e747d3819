import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DwarfError } from './dwarfError.js';
import { DwarfReader } from './dwarfReader.js';

function reader(...bytes: number[]): DwarfReader {
  return new DwarfReader('.debug_test', Uint8Array.from(bytes));
}

function leb(value: bigint, signed: boolean): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; ) {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    const done = signed ? (rest === 0n && (low & 0x40) === 0) || (rest === -1n && (low & 0x40) !== 0) : rest === 0n;
    bytes.push(done ? low : low | 0x80);
    if (done) return bytes;
  }
}

describe('numbers', () => {
  it('of fixed size', () => {
    const bytes = reader(0xff, 0xfe, 0xff, 0x78, 0x56, 0x34, 0x12, 1, 0, 0, 0, 0, 0, 0, 0x80, 0xfd);
    expect(bytes.i8()).toBe(-1);
    expect(bytes.u16()).toBe(0xfffe);
    expect(bytes.u32()).toBe(0x12345678);
    expect(bytes.u64Big()).toBe(0x8000_0000_0000_0001n);
    expect(bytes.i8()).toBe(-3);
    expect(bytes.atEnd).toBe(true);
  });

  it('of any size (LEB128)', () => {
    fc.assert(fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (n) => {
      expect(reader(...leb(n, false)).ulebBig()).toBe(n);
      if (n < 2n ** 53n) expect(reader(...leb(n, false)).uleb()).toBe(Number(n));
    }));
    fc.assert(fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (n) => {
      expect(reader(...leb(n, true)).slebBig()).toBe(n);
      if (n > -(2n ** 52n) && n < 2n ** 52n) expect(reader(...leb(n, true)).sleb()).toBe(Number(n));
    }));
    const padded = reader(0x81, 0x80, 0x00, 7);
    padded.skipLeb();
    expect(padded.u8()).toBe(7);
  });
});

describe('what is not there', () => {
  it('is an error that says where', () => {
    const error = (() => {
      try {
        reader(1, 2).u32();
      } catch (thrown) {
        return thrown;
      }
      return undefined;
    })();
    expect(error).toBeInstanceOf(DwarfError);
    expect(error).toMatchObject({ section: '.debug_test', offset: 0, message: 'corrupt debug information: data is cut off (.debug_test+0x0)' });
    for (const read of [(r: DwarfReader) => r.uleb(), (r: DwarfReader) => r.sleb(), (r: DwarfReader) => r.ulebBig(), (r: DwarfReader) => r.skipLeb(), (r: DwarfReader) => r.cString(), (r: DwarfReader) => r.take(5), (r: DwarfReader) => r.unsigned(5)]) {
      expect(() => read(reader(0x80, 0x80))).toThrow(DwarfError);
    }
    expect(() => reader(...new Array<number>(40).fill(0x80)).uleb()).toThrow(/too long/);
    expect(() => reader(1).at(2)).toThrow(DwarfError);
    expect(() => reader(1).skip(-1)).toThrow(DwarfError);
  });

  it('respects the bounds of a part', () => {
    const part = reader(65, 66, 0, 67).at(0, 2);
    expect(() => part.cString()).toThrow(/no end/);
    expect(reader(65, 66, 0, 67).cString()).toBe('AB');
  });
});
