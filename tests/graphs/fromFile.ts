/** Graphs of functions of a file that is not running: as if it were loaded at the addresses that it has itself. */
import { readFileSync } from 'node:fs';
import { ModuleFile } from '../../src/debugger/program/moduleFile.js';
import { LoadedModule, ModuleList } from '../../src/debugger/program/modules.js';
import { ElfFile } from '../../src/elf/elfFile.js';
import { SHT } from '../../src/elf/elfSections.js';
import { STT } from '../../src/elf/elfSymbols.js';
import { FunctionGraphs } from '../../src/graphs/functionGraphs.js';
import { LoadedCode } from '../../src/graphs/loadedCode.js';
import { NEAR_FILES } from '../debugger/debugged.js';

const RELOCATION = 24;
/** A pointer into the file itself. */
const RELATIVE = 8;

export interface OpenedFile {
  readonly graphs: FunctionGraphs;
  readonly code: LoadedCode;
  /** Where functions begin, by symbols and unwinding tables, with a name if they have one. */
  readonly functions: ReadonlyMap<number, string>;
}

export function openFile(path: string): OpenedFile {
  const elf = new ElfFile(path, readFileSync(path));
  const file = new ModuleFile(path, elf, NEAR_FILES);
  const high = Math.max(...elf.loads.map(({ address, memorySize }) => address + memorySize));
  const memory = loadedMemory(elf, high);
  const modules = new ModuleList([new LoadedModule(file, 0n, 0n, BigInt(high))], []);
  const code = new LoadedCode(() => modules, (address, length) => (address + length <= high ? memory.subarray(address, address + length) : null));
  const functions = new Map<number, string>();
  for (const { low } of file.frames.all()) if (low > 0 && code.functionAt(low) !== undefined) functions.set(low, '');
  for (const { name, address, type, size } of file.symbols()) if (type === STT.FUNC && size > 0 && code.functionAt(address) !== undefined) functions.set(address, name);
  return { graphs: new FunctionGraphs(code), code, functions };
}

/** All segments, with pointers as the dynamic linker makes them. */
function loadedMemory(elf: ElfFile, high: number): Uint8Array {
  const memory = new Uint8Array(high);
  for (const segment of elf.loads) memory.set(elf.segmentBytes(segment), segment.address);
  const view = new DataView(memory.buffer);
  for (const section of elf.sections) {
    if (section.type !== SHT.RELA) continue;
    const bytes = elf.contents(section);
    const entries = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at + RELOCATION <= bytes.length; at += RELOCATION) {
      if (entries.getUint32(at + 8, true) === RELATIVE) view.setBigInt64(Number(entries.getBigUint64(at, true)), entries.getBigInt64(at + 16, true), true);
    }
  }
  return memory;
}
