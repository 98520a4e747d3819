/**
 * Late binding: the first call of a function in another module goes through the dynamic linker, which finds it and puts
 * its address where later calls look for it. Who happened to be the first is no dependence of those who call later.
 */
import type { LoadedModule } from '../../debugger/program/modules.js';
import type { CodeSource } from '../../graphs/codeSource.js';

/** In .got.plt: the word with the address of the linker's code that stubs jump to as long as nothing is bound. */
const RESOLVER = 16;
/** Bytes of that code, within which it calls the function that binds. */
const RESOLVER_SIZE = 512;
/** call rel32 */
const CALL = 0xe8;

/** Of the first stub of a module, which leads to the linker: where that has its address. Undefined for other code. */
export function resolverSlot({ file, bias }: LoadedModule, address: number): number | undefined {
  const [stubs, table] = [file.elf.section('.plt'), file.elf.section('.got.plt')];
  if (stubs === undefined || table === undefined || address !== stubs.address + Number(bias)) return undefined;
  return table.address + RESOLVER + Number(bias);
}

/** Where the function that binds begins, by the linker's code that calls it. */
export function binderOf(source: CodeSource, resolver: number): number | undefined {
  const code = source.fetch(resolver, RESOLVER_SIZE);
  const words = new DataView(code.buffer, code.byteOffset, code.byteLength);
  for (let at = 0; at + 5 <= code.length; at++) {
    if (code[at] !== CALL) continue;
    const target = resolver + at + 5 + words.getInt32(at + 1, true);
    // What looks like a call in the middle of an instruction leads to no function.
    if (source.functionAt(target) !== undefined) return target;
  }
  return undefined;
}
