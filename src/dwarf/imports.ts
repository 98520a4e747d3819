/**
 * Units that other units import: dwz moves what several have in common to partial units, perhaps in a supplementary
 * file.
 */
import { AT, TAG } from './dwarfConstants.js';
import { unlessCorrupt } from './dwarfError.js';
import { EntryCursor } from './entryCursor.js';
import type { Unit } from './unit.js';

/** The units that a unit imports itself. */
function importedUnits(unit: Unit): Unit[] {
  if (!unit.abbreviations.tags.includes(TAG.IMPORTED_UNIT) || !unit.root.hasChildren) return [];
  const imported: Unit[] = [];
  const cursor = EntryCursor.childrenOf(unit.root);
  while (cursor.nextSibling()) {
    if (cursor.tag !== TAG.IMPORTED_UNIT) continue;
    const target = unlessCorrupt(() => unit.dieAt(cursor.offset).reference(AT.IMPORT)?.unit, () => undefined);
    if (target !== undefined) imported.push(target);
  }
  return imported;
}

/** For each imported unit one that imports it: partial units do not say what language they are from. */
export function findImporters(units: Iterable<Unit>): Map<Unit, Unit> {
  const importers = new Map<Unit, Unit>();
  const queue = [...units];
  for (let unit = queue.pop(); unit !== undefined; unit = queue.pop()) {
    for (const imported of unlessCorrupt(() => importedUnits(unit as Unit), () => [])) {
      if (importers.has(imported)) continue;
      importers.set(imported, unit);
      queue.push(imported);
    }
  }
  return importers;
}
