/**
 * Which unit an address belongs to: from .debug_aranges, where the compiler has written it down, and from the ranges of
 * those units that it leaves out.
 */
import type { DebugInfo } from './debugInfo.js';
import { TAG } from './dwarfConstants.js';
import { unlessCorrupt } from './dwarfError.js';
import type { DwarfReader } from './dwarfReader.js';
import { IntervalMap } from './intervalMap.js';
import { rangesOf } from './ranges.js';
import type { Unit } from './unit.js';
import { readInitialLength } from './unitHeader.js';

interface UnitRange {
  readonly low: number;
  readonly high: number;
  readonly value: Unit;
}

export class AddressIndex {
  private readonly ranges: IntervalMap<Unit>;

  constructor(private readonly info: DebugInfo) {
    const listed = this.readAranges();
    const covered = new Set(listed.map((range) => range.value));
    const rest = info.units.filter((unit) => !unit.isTypeUnit && !covered.has(unit));
    const own = rest.flatMap((unit) => unlessCorrupt(() => ownRanges(unit), (error) => this.note(error)));
    this.ranges = new IntervalMap([...listed, ...own]);
  }

  /**
   * The units with code at that address (several only if the linker folded identical functions); not skeletons but what
   * they stand for.
   */
  unitsAt(address: number): Unit[] {
    return [...new Set(this.ranges.find(address))].map((unit) => unit.full);
  }

  private note(error: Parameters<DebugInfo['problems']['push']>[0]): [] {
    this.info.problems.push(error);
    return [];
  }

  private readAranges(): UnitRange[] {
    const ranges: UnitRange[] = [];
    const section = this.info.reader('.debug_aranges')?.at(0);
    if (section === undefined) return ranges;
    while (!section.atEnd) {
      const start = section.position;
      const end = unlessCorrupt(() => tableEnd(section), (error) => void this.note(error));
      if (end === undefined) break;
      unlessCorrupt(() => this.readTable(section.at(start, end), ranges), (error) => this.note(error));
      section.position = end;
    }
    return ranges;
  }

  private readTable(reader: DwarfReader, ranges: UnitRange[]): void {
    const start = reader.position;
    const { offsetSize } = readInitialLength(reader);
    reader.skip(2);
    const unit = this.info.unitAt(reader.offset(offsetSize));
    const [addressSize, segmentSize] = [reader.u8(), reader.u8()];
    if ((addressSize !== 8 && addressSize !== 4) || segmentSize !== 0) reader.fail('addresses of a size we do not know');
    const tuple = 2 * addressSize;
    reader.position = start + Math.ceil((reader.position - start) / tuple) * tuple;
    while (reader.position + tuple <= reader.end) {
      const [low, length] = [reader.unsigned(addressSize), reader.unsigned(addressSize)];
      if (low === 0 && length === 0) break;
      if (length > 0 && low >= this.info.lowestAddress) ranges.push({ low, high: low + length, value: unit });
    }
  }
}

function tableEnd(reader: DwarfReader): number {
  const { length } = readInitialLength(reader);
  reader.need(length);
  return reader.position + length;
}

function ownRanges(unit: Unit): UnitRange[] {
  const { root } = unit;
  if (root.tag !== TAG.COMPILE_UNIT && root.tag !== TAG.SKELETON_UNIT) return [];
  return rangesOf(root).map((range) => ({ ...range, value: unit }));
}
