/** Symbols of ELF files in a process: names to addresses and back. For code and data that debug information says nothing of. */
import { type ElfSymbol, STB, STT } from '../../elf/elfSymbols.js';
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
    const inFile = module?.file.symbolAt(Number(address - module.bias));
    return module === undefined || inFile === undefined ? undefined : { symbol: found(inFile.symbol, module), offset: inFile.offset };
  }

  /** "<name+8>" as gdb prints it beside addresses; undefined if there is no symbol. */
  describe(address: bigint): string | undefined {
    const near = this.at(address);
    if (near === undefined) return undefined;
    return near.offset === 0 ? `<${near.symbol.name}>` : `<${near.symbol.name}+${near.offset}>`;
  }
}

function found({ name, address, size, type, binding }: ElfSymbol, module: LoadedModule): FoundSymbol {
  const kind = type === STT.FUNC ? 'function' : type === STT.GNU_IFUNC ? 'indirectFunction' : type === STT.OBJECT ? 'variable' : type === STT.TLS ? 'threadLocal' : 'other';
  return { name, address: kind === 'threadLocal' ? BigInt(address) : BigInt(address) + module.bias, size, module, kind, isGlobal: binding !== STB.LOCAL };
}
