import { deflateSync, inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { SHF, SHT, type Section } from '../elf/elfSections.js';
import { DwarfError } from './dwarfError.js';
import { DwarfSections, type Inflate } from './dwarfSections.js';

const TEXT = new TextEncoder().encode('debug information '.repeat(100));
const inflate: Inflate = (stored, length) => inflateSync(stored, { maxOutputLength: Math.max(1, length) });

function sections(name: string, bytes: Uint8Array, flags: number, type: number = SHT.PROGBITS, unpack: Inflate | undefined = inflate): DwarfSections {
  const section: Section = { name, type, flags, address: 0x400, offset: 0, size: bytes.length, link: 0, info: 0, align: 1, entrySize: 0 };
  return new DwarfSections({ path: 'p', section: (wanted) => (wanted === name ? section : undefined), contents: () => bytes }, unpack);
}

function elfCompressed(kind: number, length: number): Uint8Array {
  const head = new DataView(new ArrayBuffer(24));
  head.setUint32(0, kind, true);
  head.setBigUint64(8, BigInt(length), true);
  return Uint8Array.from([...new Uint8Array(head.buffer), ...deflateSync(TEXT)]);
}

/** A megabyte that claims to be so many. */
function bomb(length: number): Uint8Array {
  return Buffer.concat([elfCompressed(1, length).subarray(0, 24), Buffer.alloc(1 << 20)]);
}

function gnuCompressed(length: number): Uint8Array {
  const head = new DataView(new ArrayBuffer(8));
  head.setBigUint64(0, BigInt(length), false);
  return Uint8Array.from([...new TextEncoder().encode('ZLIB'), ...new Uint8Array(head.buffer), ...deflateSync(TEXT)]);
}

describe('a section', () => {
  it('is had as it is, or unpacked', () => {
    expect(sections('.debug_str', TEXT, 0).find('.debug_str')).toEqual({ bytes: TEXT, address: 0x400 });
    expect(Buffer.from(sections('.debug_str', elfCompressed(1, TEXT.length), SHF.COMPRESSED).find('.debug_str')?.bytes ?? [])).toEqual(Buffer.from(TEXT));
    expect(Buffer.from(sections('.zdebug_str', gnuCompressed(TEXT.length), 0).find('.debug_str')?.bytes ?? [])).toEqual(Buffer.from(TEXT));
  });

  it('is missing if it is not there, or only its header', () => {
    expect(sections('.debug_str', TEXT, 0).find('.debug_info')).toBeUndefined();
    expect(sections('.debug_str', TEXT, 0, SHT.NOBITS).find('.debug_str')).toBeUndefined();
    expect(sections('.debug_str', new Uint8Array(0), 0).has('.debug_str')).toBe(false);
  });

  it('is refused if it cannot be unpacked', () => {
    const find = (bytes: Uint8Array, unpack?: Inflate): (() => unknown) => () => sections('.debug_str', bytes, SHF.COMPRESSED, SHT.PROGBITS, unpack).find('.debug_str');
    expect(find(elfCompressed(1, TEXT.length - 1), inflate)).toThrow(DwarfError);
    expect(find(elfCompressed(1, TEXT.length + 1), inflate)).toThrow(/another length/);
    expect(find(elfCompressed(1, 2 ** 40), () => expect.fail('not asked'))).toThrow(/larger than it can be/);
    expect(find(bomb(1 << 30), () => expect.fail('not asked'))).toThrow(/section would have 1073741824 bytes, which is more than we unpack/);
    expect(find(elfCompressed(2, TEXT.length), inflate)).toThrow(/cannot be unpacked/);
    expect(find(elfCompressed(3, TEXT.length), inflate)).toThrow(/a way we do not know/);
    expect(find(elfCompressed(1, TEXT.length).slice(0, 60), inflate)).toThrow(/cannot be unpacked/);
    expect(find(elfCompressed(1, 5).slice(0, 10), inflate)).toThrow(DwarfError);
  });
});
