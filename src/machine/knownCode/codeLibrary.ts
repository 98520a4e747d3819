/**
 * What is known of code that went through the same passes (ir/blockPass.ts) before it runs: from other processes of
 * this run, and from earlier runs. All of it depends on nothing but addresses and bytes of guest code, which are
 * compared each time.
 */
import { gatherLibrary } from './gatherLibrary.js';
import type { MachineCode } from './machineCode.js';
import { RegionLibrary, type StoredRegions } from './regionLibrary.js';
import { joinSections, splitSections } from './sections.js';
import { encodeRegions, openRegions, REGION_SECTIONS } from './storedRegions.js';
import { encodeTranslations, openTranslations, TRANSLATION_SECTIONS } from './storedTranslations.js';
import { type StoredTranslations, TranslationLibrary } from './translationLibrary.js';

interface Stored {
  readonly translations: StoredTranslations;
  readonly regions: StoredRegions;
}

/** Programs lie below it, what is mapped (the dynamic linker, libraries) above. */
const MAPPED = 0x7f00_0000_0000;
/** Less that is new is not worth storing: a hundredth of what there was. */
const NOTABLE = 100;
/** The same for machine code, of which a little more comes with every run. */
const NOTABLE_GROWTH = 1.1;

export class CodeLibrary {
  readonly translations: TranslationLibrary;
  readonly regions: RegionLibrary;

  /** `isPlain`: whether it is the program's own code, so that its bytes say everything. */
  constructor(private readonly isPlain: boolean, private readonly stored?: Stored, machineCode?: MachineCode) {
    this.translations = new TranslationLibrary(stored?.translations);
    this.regions = new RegionLibrary(stored?.regions, machineCode);
  }

  /**
   * What `encode` made, in another run of the same version and of code that went through the same passes; undefined if
   * it is something else. The bytes must lie at a multiple of 8 of their buffer.
   */
  static open(isPlain: boolean, bytes: Uint8Array<ArrayBuffer>, machineCode?: MachineCode): CodeLibrary | undefined {
    const sections = splitSections(bytes, TRANSLATION_SECTIONS + REGION_SECTIONS);
    if (sections === undefined) return undefined;
    return new CodeLibrary(isPlain, {
      translations: openTranslations(sections.slice(0, TRANSLATION_SECTIONS)),
      regions: openRegions(sections.slice(TRANSLATION_SECTIONS)),
    }, machineCode);
  }

  /** Whether a run has found out much that was not known before. */
  get isWorthStoring(): boolean {
    const newRegions = this.regions.regionCount - (this.stored?.regions.modules ?? []).reduce((sum, { regions }) => sum + regions.length, 0);
    const known = this.stored?.translations.count ?? 0;
    return this.translations.newCount > known / NOTABLE || newRegions > this.regions.regionCount / NOTABLE;
  }

  /**
   * Whether much more machine code has been made than was there before. Takes time: a run has to be long to make any.
   */
  get hasMoreMachineCode(): boolean {
    return this.regions.machineCodeGrowth > NOTABLE_GROWTH;
  }

  /** Whether this run has found out something of libraries, which other programs may have, too. */
  get hasShared(): boolean {
    for (const { start } of this.translations.newOnes()) if (start >= MAPPED) return true;
    return false;
  }

  encode(): Uint8Array<ArrayBuffer> {
    const all = [...(this.stored?.translations.all() ?? []), ...this.translations.newOnes()];
    const pool = this.stored?.translations.pool ?? this.translations.poolForNewcomer();
    const gathered = this.isPlain ? gatherLibrary(this.regions) : undefined;
    return joinSections([...encodeTranslations(all, pool), ...encodeRegions(gathered ?? this.regions)]);
  }
}
