/**
 * The code of one function: its blocks of IR, found by following jumps, branches and calls from where
 * it starts, and the regions they are compiled to. At run time a region takes in warm blocks only, and
 * may follow calls; here it has the whole function and nothing else.
 */
import { type GuestAddr, guestAddr } from '../../base/types.js';
import type { ElfFile } from '../../elf/elfFile.js';
import { PF } from '../../elf/elfHeader.js';
import { directSuccessors } from '../../ir/blockSuccessors.js';
import type { Block } from '../../ir/ir.js';
import { FIRST_REGION_INDEX } from '../../jit/coreModule.js';
import { collectRegion, DEFAULT_REGION_LIMITS, type Region } from '../../jit/region.js';
import { buildRegionModule, regionName } from '../../jit/regionModule.js';
import { printFunction } from '../../wasm/text.js';
import { Translator } from '../../x86/translate.js';
import type { CodeRange } from '../arguments/codeRange.js';

/** Enough for any function a person wants to read; only where nothing says how long it is. */
const MOST_BLOCKS = 1000;
/** For code without a symbol. */
const MOST_BLOCKS_UNBOUNDED = 20;

export class FunctionCode {
  /** In order of address. */
  readonly blocks: readonly Block[];
  private readonly byAddress = new Map<number, Block>();

  constructor(
    private readonly elf: ElfFile,
    private readonly range: CodeRange,
  ) {
    this.follow();
    this.blocks = [...this.byAddress.values()].sort((a, b) => a.start - b.start);
  }

  /** At most `length` bytes of code at an address, none if there is none. */
  fetch(address: number, length: number): Uint8Array {
    const segment = this.elf.loads.find((s) => (s.flags & PF.X) !== 0 && address >= s.address && address < s.address + s.fileSize);
    if (segment === undefined) return new Uint8Array();
    const offset = address - segment.address;
    return this.elf.segmentBytes(segment).subarray(offset, offset + length);
  }

  /** Every region and its WebAssembly as text; together they cover all blocks. */
  *regionTexts(): Generator<{ region: Region; text: string }> {
    const covered = new Set<Block>();
    for (const { start } of this.entriesFirst()) {
      if (covered.has(this.byAddress.get(start) as Block)) continue;
      const block = (at: number): Block | null => this.byAddress.get(at) ?? null;
      const source = { block, calleeBlock: block, stub: () => null, isWanted: () => false, entersLoops: true, jumpTargets: [] };
      const region = collectRegion(start, source, { ...DEFAULT_REGION_LIMITS, calleeNodes: 0 });
      if (region === null) continue;
      for (const { block } of region.nodes) covered.add(block);
      let sites = 0;
      const { bytes } = buildRegionModule([region], FIRST_REGION_INDEX, { site: () => sites++, standsAlone: () => false, watchfulness: () => 'pages' }, true);
      yield { region, text: printFunction(bytes, regionName(region)) };
    }
  }

  private entriesFirst(): Block[] {
    const entry = this.byAddress.get(this.range.start);
    return [...(entry === undefined ? [] : [entry]), ...this.blocks];
  }

  private follow(): void {
    const translator = new Translator((address, length) => this.fetch(address, length));
    const most = this.range.end === undefined ? MOST_BLOCKS_UNBOUNDED : MOST_BLOCKS;
    const queue: GuestAddr[] = [guestAddr(this.range.start)];
    for (let address = queue.shift(); address !== undefined; address = queue.shift()) {
      if (this.byAddress.has(address) || !this.contains(address) || this.byAddress.size >= most) continue;
      const block = translator.translate(address);
      if (block === null) continue;
      this.byAddress.set(address, block);
      queue.push(...directSuccessors(block.end));
    }
  }

  private contains(address: number): boolean {
    const { start, low, end } = this.range;
    return end === undefined || address === start || (address >= low && address < end);
  }
}
