/**
 * Where the functions that matter are, in a file whose code has been mapped: those that we stand in for, and those
 * whose calls rules are about.
 */
import { demangle } from '../debugger/values/demangle/demangle.js';
import { ElfError } from '../elf/elfError.js';
import { ElfFile } from '../elf/elfFile.js';
import { STB, STT, type ElfSymbol } from '../elf/elfSymbols.js';
import type { Mapping } from '../machine/mapping.js';

/** Libraries whose functions are what they are called. */
const LIBRARIES = /\/(libc|libstdc\+\+|libc\+\+|ld-musl-x86_64|libc\.musl-x86_64)(-[\d.]+)?\.so[^/]*$/;
/** What they call is not the user's doing. */
const INNER_LIBRARIES = /\/(libc|libm|libpthread|libstdc\+\+|libc\+\+|libgcc_s|ld|ld-linux-x86-64|ld-musl-x86_64|libc\.musl-x86_64)(-[\d.]+)?\.so[^/]*$/;
/** A program that has the C library in it has one of these. */
const INSIDE: readonly string[] = ['__libc_malloc', '__libc_malloc_impl'];

interface WantedFunctions {
  /** Allocation functions of libraries. */
  readonly replaced: ReadonlySet<string>;
  /** Allocation functions of the user's own, wherever they are. */
  readonly custom: ReadonlySet<string>;
  readonly watched: ReadonlySet<string>;
}

export interface FoundFunction {
  readonly name: string;
  readonly address: number;
  /** Bytes of code; 0 if the file does not say. */
  readonly size: number;
  /** `resolver`: returns the address of the function (an IFUNC symbol). */
  readonly role: 'replaced' | 'watched' | 'resolver';
  /** The C library has it, or the C++ one. */
  readonly isLibrarys: boolean;
}

type FunctionInFile = Omit<FoundFunction, 'address'> & { readonly offset: number };

export function isLibraryCode(m: Mapping | undefined): boolean {
  return m !== undefined && INNER_LIBRARIES.test(m.name);
}

/** Looks into each file once. */
export class Libraries {
  private readonly known = new Map<string, readonly FunctionInFile[]>();

  /** Mangled names that may be those of wanted functions. */
  private readonly maybeMangled: RegExp;

  constructor(private readonly wanted: WantedFunctions) {
    const names = [...wanted.custom, ...wanted.watched].map((name) => name.slice(name.lastIndexOf(':') + 1)).filter((name) => /^\w+$/.test(name));
    this.maybeMangled = names.length === 0 ? /(?!)/ : new RegExp(`^_Z.*\\d(?:${names.join('|')})(?!\\d)`);
  }

  functionsIn(m: Mapping): readonly FoundFunction[] {
    const { file } = m;
    if (file === undefined) return [];
    const key = `${file.device}:${file.inode}:${file.size}:${m.name}`;
    let found = this.known.get(key);
    if (found === undefined) this.known.set(key, (found = this.look(m)));
    const end = m.fileOffset + (m.end - m.start);
    return found.filter(({ offset }) => offset >= m.fileOffset && offset < end).map(({ offset, ...rest }) => ({ ...rest, address: m.start + offset - m.fileOffset }));
  }

  private look({ name: path, file }: Mapping): FunctionInFile[] {
    if (file === undefined) return [];
    const bytes = new Uint8Array(file.size);
    file.read(0, bytes);
    try {
      return this.functionsOf(new ElfFile(path, bytes));
    } catch (error) {
      if (error instanceof ElfError) return [];
      throw error;
    }
  }

  private functionsOf(elf: ElfFile): FunctionInFile[] {
    const byName = new Map<string, ElfSymbol[]>();
    for (const symbol of elf.symbols.all()) {
      const name = this.wantedName(symbol.name);
      if (name !== undefined) byName.set(name, [...(byName.get(name) ?? []), symbol]);
    }
    const isLibrarys = LIBRARIES.test(elf.path) || INSIDE.some((name) => byName.has(name));
    return [...byName].flatMap(([name, symbols]) =>
      meant(symbols).flatMap((symbol) => {
        const role = this.roleOf(name, symbol, isLibrarys);
        const segment = elf.loads.find((s) => symbol.address >= s.address && symbol.address < s.address + s.fileSize);
        return role === undefined || segment === undefined ? [] : [{ name, role, isLibrarys, size: symbol.size, offset: symbol.address - segment.address + segment.offset }];
      }),
    );
  }

  /**
   * What rules and users call the function with a symbol: functions of C++ have names without parameters. Undefined if
   * no rule wants it.
   */
  private wantedName(symbol: string): string | undefined {
    const { replaced, custom, watched } = this.wanted;
    if (replaced.has(symbol) || watched.has(symbol) || custom.has(symbol) || INSIDE.includes(symbol)) return symbol;
    if (!symbol.startsWith('_Z') || !this.maybeMangled.test(symbol)) return undefined;
    const name = demangle(symbol).replace(/\(.*$/s, '');
    return watched.has(name) || custom.has(name) ? name : undefined;
  }

  private roleOf(name: string, { type }: ElfSymbol, isLibrarys: boolean): FoundFunction['role'] | undefined {
    const { replaced, custom, watched } = this.wanted;
    if (custom.has(name) || (isLibrarys && replaced.has(name))) return 'replaced';
    return !watched.has(name) ? undefined : type === STT.GNU_IFUNC ? 'resolver' : 'watched';
  }
}

/**
 * Of symbols with the same name: a local one is another function than a global one, and beside an IFUNC symbol there
 * may be an older version with other manners (memcpy of glibc).
 */
function meant(symbols: readonly ElfSymbol[]): ElfSymbol[] {
  const code = symbols.filter(({ type }) => type === STT.FUNC || type === STT.GNU_IFUNC || type === STT.NOTYPE);
  const shared = code.filter(({ binding }) => binding !== STB.LOCAL);
  const candidates = shared.length > 0 ? shared : code;
  const indirect = candidates.filter(({ type }) => type === STT.GNU_IFUNC);
  const chosen = indirect.length > 0 ? indirect : candidates;
  return [...new Map(chosen.map((symbol) => [symbol.address, symbol])).values()];
}
