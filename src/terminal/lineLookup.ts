/** Which stretches of code a source line has. */
import { unlessCorrupt } from '../dwarf/dwarfError.js';
import { ROW } from '../dwarf/lineProgram.js';
import type { LoadedModule } from '../debugger/program/modules.js';
import type { ProgramView } from '../debugger/program/programView.js';

interface LineStretch {
  readonly start: bigint;
  readonly end: bigint;
}

/** Ranges of exactly that line in the order of addresses; without any, where the next line that has code begins. */
export function lineRangesOf(path: string, line: number, program: ProgramView): { readonly ranges: readonly LineStretch[]; readonly after: bigint | undefined } {
  for (const module of program.modules.all) {
    const rows = unlessCorrupt(() => rowsOf(module, path), () => []);
    if (rows.length === 0) continue;
    const exact = rows.filter((row) => row.line === line).map(({ address }) => address).sort((a, b) => a - b);
    const ranges = exact.flatMap((address) => rangeAt(module, address));
    if (ranges.length > 0) return { ranges, after: undefined };
    const later = rows.filter((row) => row.line > line).sort((a, b) => a.line - b.line || a.address - b.address)[0];
    return { ranges: [], after: later === undefined ? undefined : BigInt(later.address) + module.bias };
  }
  return { ranges: [], after: undefined };
}

function rangeAt(module: LoadedModule, address: number): LineStretch[] {
  const range = module.file.lineRangeAt(address);
  return range === undefined ? [] : [{ start: BigInt(range.start) + module.bias, end: BigInt(range.end) + module.bias }];
}

function rowsOf(module: LoadedModule, path: string): { readonly line: number; readonly address: number }[] {
  const found: { readonly line: number; readonly address: number }[] = [];
  for (const { table, numbers } of module.info?.sources.find(path) ?? []) {
    const { addresses, lines, files, flags } = table.rows;
    for (let i = 0; i < addresses.length; i++) {
      const flag = flags[i] as number;
      if (!numbers.includes(files[i] as number) || (flag & ROW.STATEMENT) === 0 || (flag & ROW.END_SEQUENCE) !== 0) continue;
      found.push({ line: lines[i] as number, address: addresses[i] as number });
    }
  }
  return found;
}
