/**
 * The parts of a program's debug information that lie in .dwo files or in a package of them, opened when a question
 * needs one.
 */
import type { DebugInfo } from './debugInfo.js';
import { AT } from './dwarfConstants.js';
import { unlessCorrupt } from './dwarfError.js';
import type { SectionSource } from './dwarfSections.js';
import { SplitPackage } from './splitPackage.js';
import type { Unit } from './unit.js';

/** Finds the sections of a .dwo file by its name and the directory of compilation. */
type OpenSplitFile = (name: string, directory: string) => SectionSource | undefined;

export interface SplitOptions {
  readonly openSplitFile?: OpenSplitFile;
  /** The sections of the .dwp file that .dwo files were packed into, if there is one. */
  readonly openPackage?: () => SectionSource | undefined;
}

export class SplitFiles {
  private readonly files = new Map<string, DebugInfo | undefined>();
  private opened: SplitPackage | null | undefined;
  private types: readonly DebugInfo[] | undefined;
  private signatures: ReadonlyMap<bigint, Unit> | undefined;

  constructor(
    private readonly info: DebugInfo,
    private readonly options: SplitOptions,
    private readonly open: (sections: SectionSource, skeleton: Unit) => DebugInfo,
  ) {}

  /** The unit that a skeleton stands for. */
  unitOf(skeleton: Unit): Unit | undefined {
    const { root } = skeleton;
    const name = root.string(AT.DWO_NAME) ?? root.string(AT.GNU_DWO_NAME);
    const id = idOf(skeleton);
    if (name === undefined || id === undefined) return undefined;
    const key = `${id} ${name}`;
    if (!this.files.has(key)) this.files.set(key, this.openFile(id, name, skeleton));
    return this.files.get(key)?.units.find((unit) => !unit.isTypeUnit && idOf(unit) === id);
  }

  /** Units of types, each type once. */
  *typeUnits(): Generator<Unit> {
    const files = new Set([...this.info.units.filter((unit) => unit.isSkeleton).map((unit) => unit.full.info), ...this.packedTypes]);
    files.delete(this.info);
    const seen = new Set<bigint | undefined>();
    for (const file of files) {
      for (const unit of [...file.units, ...file.typeUnits]) {
        if (!unit.isTypeUnit || seen.has(unit.header.signature)) continue;
        seen.add(unit.header.signature);
        yield unit;
      }
    }
  }

  /** Those of .dwo files are found by who refers to them. */
  packedType(signature: bigint): Unit | undefined {
    this.signatures ??= new Map(this.packedTypes.flatMap((file) => [...file.units, ...file.typeUnits].flatMap((unit) => (unit.header.signature === undefined ? [] : [[unit.header.signature, unit]]))));
    return this.signatures.get(signature);
  }

  private openFile(id: bigint, name: string, skeleton: Unit): DebugInfo | undefined {
    const sections = this.package?.unit(id) ?? this.options.openSplitFile?.(name, skeleton.directory ?? '');
    return sections === undefined ? undefined : this.open(sections, skeleton);
  }

  private get package(): SplitPackage | undefined {
    const { info } = this;
    this.opened ??= unlessCorrupt(() => SplitPackage.of(this.options.openPackage?.()), (error) => void info.problems.push(error)) ?? null;
    return this.opened ?? undefined;
  }

  /** Which skeleton stands for types makes no difference: they have no addresses. */
  private get packedTypes(): readonly DebugInfo[] {
    if (this.types !== undefined) return this.types;
    const skeleton = this.options.openPackage === undefined ? undefined : this.info.units.find((unit) => unit.isSkeleton);
    this.types = skeleton === undefined ? [] : (this.package?.types() ?? []).map((sections) => this.open(sections, skeleton));
    return this.types;
  }
}

function idOf(unit: Unit): bigint | undefined {
  return unit.header.splitId ?? unit.root.constantValue(AT.GNU_DWO_ID);
}
