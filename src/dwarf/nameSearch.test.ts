import { describe, expect, it } from 'vitest';
import { NameSearch } from './nameSearch.js';
import type { DebugInfo } from './debugInfo.js';

/** Units of ten bytes each. */
function info(entries: readonly number[], strings: string): DebugInfo {
  const units = Array.from({ length: entries.length / 10 }, (_, i) => ({ offset: i * 10, end: i * 10 + 10, isTypeUnit: false, offsetSize: 4, abbreviations: { specs: [], tags: [] } }));
  const sections = new Map([['.debug_info', Uint8Array.from(entries)], ['.debug_str', new TextEncoder().encode(strings)]]);
  return {
    units,
    reader: (name: string) => (sections.has(name) ? { bytes: sections.get(name) } : undefined),
    unitAt: (offset: number) => units[Math.floor(offset / 10)],
  } as unknown as DebugInfo;
}

const unit = (offset: number): number[] => [1, 2, 3, offset, 0, 0, 0, 9, 9, 9];
const inline = (text: string): number[] => [...new TextEncoder().encode(text), ...new Uint8Array(10 - text.length)];

describe('a search for a name', () => {
  it('finds the units that mention its string, also at the end of another or before template arguments', () => {
    const search = NameSearch.of(info([...unit(0), ...unit(7), ...unit(12), ...inline('main')], 'other\0domain\0main<int>\0'));
    expect(search?.unitsNaming('main')?.map(({ offset }) => offset)).toEqual([30]);
    const shared = NameSearch.of(info([...unit(8), ...unit(6), ...unit(13), ...unit(1)], 'other\0domain\0main<int>\0'));
    expect(shared?.unitsNaming('main')?.map(({ offset }) => offset)).toEqual([0, 20]);
  });

  it('finds none for what is no string', () => {
    expect(NameSearch.of(info(unit(0), 'main\0'))?.unitsNaming('mai')).toEqual([]);
  });
});
