/**
 * Call frame information of one file: which description covers an address. .eh_frame has a table that is searched in
 * place; without one, and for .debug_frame, all descriptions are read once.
 */
import type { DwarfError } from './dwarfError.js';
import { unlessCorrupt } from './dwarfError.js';
import { DwarfReader } from './dwarfReader.js';
import type { DwarfSections, SectionBytes } from './dwarfSections.js';
import { FrameSection, type FrameDescription } from './frameEntries.js';
import { rulesAt, type FrameRules } from './frameRules.js';
import { IntervalMap } from './intervalMap.js';
import { readPointer } from './pointerEncoding.js';

/** The sections at hand. Addresses are as in the file, without load bias. */
interface FrameSections {
  readonly ehFrame?: SectionBytes | undefined;
  readonly ehFrameHeader?: SectionBytes | undefined;
  readonly debugFrame?: SectionBytes | undefined;
}

/** The usual table: pairs of 32-bit numbers relative to its section. */
const SORTED_TABLE = 0x3b;
const TABLE_ENTRY = 8;

interface SearchTable {
  readonly view: DataView;
  readonly start: number;
  readonly count: number;
  readonly address: number;
}

/** Debuggers ask for the same places again and again. */
const MOST_KNOWN = 4096;

export class CallFrames {
  readonly problems: DwarfError[] = [];
  private readonly ehFrame: FrameSection | undefined;
  private readonly debugFrame: FrameSection | undefined;
  private readonly table: SearchTable | undefined;
  private readonly known = new Map<number, FrameRules>();
  private ehIndex: IntervalMap<FrameDescription> | undefined;
  private debugIndex: IntervalMap<FrameDescription> | undefined;

  constructor(sections: FrameSections) {
    const { ehFrame, ehFrameHeader, debugFrame } = sections;
    this.ehFrame = ehFrame === undefined ? undefined : new FrameSection('.eh_frame', ehFrame);
    this.debugFrame = debugFrame === undefined ? undefined : new FrameSection('.debug_frame', debugFrame);
    this.table = ehFrameHeader === undefined ? undefined : unlessCorrupt(() => readTable(ehFrameHeader), (error) => void this.problems.push(error));
  }

  /** Of a file, whose .debug_frame may be in a separate one. */
  static of(file: DwarfSections, debugFile: DwarfSections = file): CallFrames {
    return new CallFrames({
      ehFrame: file.find('.eh_frame'),
      ehFrameHeader: file.find('.eh_frame_hdr'),
      debugFrame: file.find('.debug_frame') ?? debugFile.find('.debug_frame'),
    });
  }

  /** The description of the code at an address. */
  find(address: number): FrameDescription | undefined {
    return this.findInTable(address) ?? this.findInIndex(address);
  }

  /** How to get from the code at `address` to its caller. */
  rulesAt(address: number): FrameRules | undefined {
    const known = this.known.get(address);
    if (known !== undefined) return known;
    const description = this.find(address);
    const rules = description === undefined ? undefined : rulesAt(description, address);
    if (this.known.size >= MOST_KNOWN) this.known.clear();
    if (rules !== undefined) this.known.set(address, rules);
    return rules;
  }

  /** All descriptions, .eh_frame first. */
  *all(): Generator<FrameDescription> {
    if (this.ehFrame !== undefined) yield* this.ehFrame.descriptions();
    if (this.debugFrame !== undefined) yield* this.debugFrame.descriptions();
  }

  private findInTable(address: number): FrameDescription | undefined {
    const { table, ehFrame } = this;
    if (table === undefined || ehFrame === undefined) return undefined;
    let [low, high] = [0, table.count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (table.address + table.view.getInt32(table.start + middle * TABLE_ENTRY, true) <= address) low = middle + 1;
      else high = middle;
    }
    if (low === 0) return undefined;
    const at = table.address + table.view.getInt32(table.start + (low - 1) * TABLE_ENTRY + 4, true) - ehFrame.address;
    return unlessCorrupt(
      () => {
        const found = ehFrame.descriptionAt(at);
        return found !== undefined && address >= found.low && address < found.high ? found : undefined;
      },
      (error) => void this.problems.push(error),
    );
  }

  private findInIndex(address: number): FrameDescription | undefined {
    this.ehIndex ??= this.index(this.table === undefined ? this.ehFrame : undefined);
    this.debugIndex ??= this.index(this.debugFrame);
    return this.ehIndex.find(address)[0] ?? this.debugIndex.find(address)[0];
  }

  private index(section: FrameSection | undefined): IntervalMap<FrameDescription> {
    const found: { low: number; high: number; value: FrameDescription }[] = [];
    const collect = (): void => {
      for (const value of section?.descriptions() ?? []) if (value.low > 0) found.push({ low: value.low, high: value.high, value });
    };
    unlessCorrupt(collect, (error) => void this.problems.push(error));
    return new IntervalMap(found);
  }
}

function readTable({ bytes, address }: SectionBytes): SearchTable | undefined {
  const reader = new DwarfReader('.eh_frame_hdr', bytes);
  const version = reader.u8();
  const [pointer, count, table] = [reader.u8(), reader.u8(), reader.u8()];
  if (version !== 1 || table !== SORTED_TABLE) return undefined;
  const bases = { section: address, data: address };
  readPointer(reader, pointer, bases);
  const entries = readPointer(reader, count, bases);
  if (entries === undefined) return undefined;
  reader.need(entries * TABLE_ENTRY);
  return { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), start: reader.position, count: entries, address };
}
