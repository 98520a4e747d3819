/**
 * Symbols of ELF files in a process: names to addresses and back. For code and data that debug information says nothing
 * of.
 */
import { type ElfSymbol, STB, STT } from '../../elf/elfSymbols.js';
import { stubAt } from './linkage.js';
import type { LoadedModule, ModuleList } from './modules.js';

export interface FoundSymbol {
  readonly name: string;
  /** Where it is now. Of thread-local ones: the offset in the module's block. */
  readonly address: bigint;
  readonly size: number;
  readonly module: LoadedModule;
  readonly kind: 'function' | 'indirectFunction' | 'variable' | 'threadLocal' | 'other';
  readonly isGlobal: boolean;
}

export class Symbols {
  constructor(private readonly modules: ModuleList) {}

  /** One of each module that has it, the program's own first, then in the order of addresses. */
  named(name: string): FoundSymbol[] {
    const { main, all } = this.modules;
    const ordered = main === undefined ? all : [main, ...all.filter((module) => module !== main)];
    return ordered.flatMap((module) => {
      const symbol = module.file.symbolNamed(name);
      return symbol === undefined ? [] : [found(symbol, module)];
    });
  }

  /** The symbol that an address lies in, or the label before it. */
  at(address: bigint): { readonly symbol: FoundSymbol; readonly offset: number } | undefined {
    const module = this.modules.at(address);
    if (module === undefined) return undefined;
    const stub = stubAt(module, Number(address - module.bias));
    if (stub !== undefined) return { symbol: stubSymbol(stub, module), offset: Number(address - module.bias) - stub.start };
    const inFile = module.file.symbolAt(Number(address - module.bias));
    return inFile === undefined ? undefined : { symbol: found(inFile.symbol, module), offset: inFile.offset };
  }

  /** "<name+8>" as gdb prints it beside addresses; undefined if there is no symbol. */
  describe(address: bigint): string | undefined {
    const near = this.at(address);
    if (near === undefined) return undefined;
    return near.offset === 0 ? `<${near.symbol.name}>` : `<${near.symbol.name}+${near.offset}>`;
  }
}

function stubSymbol({ name, start, size }: { readonly name: string; readonly start: number; readonly size: number }, module: LoadedModule): FoundSymbol {
  return { name, address: BigInt(start) + module.bias, size, module, kind: 'function', isGlobal: false };
}

function found({ name, address, size, type, binding }: ElfSymbol, module: LoadedModule): FoundSymbol {
  const kind = type === STT.FUNC ? 'function' : type === STT.GNU_IFUNC ? 'indirectFunction' : type === STT.OBJECT ? 'variable' : type === STT.TLS ? 'threadLocal' : 'other';
  return { name, address: kind === 'threadLocal' ? BigInt(address) : BigInt(address) + module.bias, size, module, kind, isGlobal: binding !== STB.LOCAL };
}
