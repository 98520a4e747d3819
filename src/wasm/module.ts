/**
 * A WebAssembly module under construction: types, imports, tables, globals, functions, exports and table
 * elements in, the binary format out. Indices are assigned at once, so function bodies can be filled in any
 * order and call each other; therefore all imports of functions come before the first own function.
 * The same calls give the same bytes.
 */
import { assert } from '../base/assert.js';
import { ByteWriter, u32Size } from './byteWriter.js';
import { Code, VAL_TYPE_CODES, type ValType } from './code.js';
import { SCALAR_CONST } from './scalarOps.js';
import { opcodeNumber, opcodePrefix, STRUCTURE_OPS, WASM_OPS } from './opcodes.js';

export const SECTION = {
  custom: 0, type: 1, import: 2, function: 3, table: 4, memory: 5, global: 6, export: 7, start: 8, element: 9,
  code: 10, data: 11,
} as const;

export const EXTERNAL = { func: 0, table: 1, memory: 2, global: 3 } as const;

export const FUNC_TYPE = 0x60;
export const FUNC_REF = 0x70;
export const NAME_SECTION = 'name';
export const HINT_SECTION = 'metadata.code.branch_hint';
export const NAME_SUBSECTION = { functions: 1, locals: 2 } as const;

export interface BuildOptions {
  /** Emit the name section (function and local names). */
  readonly names?: boolean;
  /** Emit the branch hints recorded with Code.hint(). */
  readonly hints?: boolean;
}

/** A section's entries, already encoded, and how many. */
class Entries {
  readonly out = new ByteWriter(64);
  count = 0;

  add(): ByteWriter {
    this.count++;
    return this.out;
  }
}

export class ModuleBuilder {
  private readonly typeIndices = new Map<string, number>();
  private readonly types = new Entries();
  private readonly imports = new Entries();
  private readonly functions = new Entries();
  private readonly tables = new Entries();
  private readonly globals = new Entries();
  private readonly exports = new Entries();
  private readonly elements = new Entries();
  private readonly codes: Code[] = [];
  /** By function index, imports included. */
  private readonly funcNames: string[] = [];
  private importedTables = 0;

  /** The index of a function type, the same for equal signatures. */
  type(params: readonly ValType[], results: readonly ValType[]): number {
    const key = `${params.join()}>${results.join()}`;
    const known = this.typeIndices.get(key);
    if (known !== undefined) return known;
    const index = this.types.count;
    this.typeIndices.set(key, index);
    const out = this.types.add();
    out.u8(FUNC_TYPE);
    writeValTypes(out, params);
    writeValTypes(out, results);
    return index;
  }

  importFunc(module: string, name: string, params: readonly ValType[], results: readonly ValType[]): number {
    assert(this.codes.length === 0, `import of ${module}.${name} after the first function`);
    const type = this.type(params, results);
    this.import(module, name, EXTERNAL.func).u32(type);
    return this.funcNames.push(`${module}.${name}`) - 1;
  }

  importMemory(module: string, name: string, min: number, max: number): void {
    writeLimits(this.import(module, name, EXTERNAL.memory), min, max);
  }

  importTable(module: string, name: string, min: number): number {
    assert(this.tables.count === 0, `import of ${module}.${name} after the first table`);
    const out = this.import(module, name, EXTERNAL.table);
    out.u8(FUNC_REF);
    writeLimits(out, min, undefined);
    return this.importedTables++;
  }

  table(min: number, max?: number): number {
    const out = this.tables.add();
    out.u8(FUNC_REF);
    writeLimits(out, min, max);
    return this.importedTables + this.tables.count - 1;
  }

  exportTable(name: string, table: number): void {
    this.export(name, EXTERNAL.table, table);
  }

  global(type: ValType, mutable: boolean, init: number | bigint): number {
    const out = this.globals.add();
    out.u8(VAL_TYPE_CODES[type]);
    out.u8(mutable ? 1 : 0);
    writeConstant(out, type, init);
    out.u8(STRUCTURE_OPS.end);
    return this.globals.count - 1;
  }

  /** A new function; `name` shows in stack traces and text, it is not exported. */
  func(name: string, params: readonly ValType[], results: readonly ValType[]): Code {
    this.functions.add().u32(this.type(params, results));
    const code = new Code(this.funcNames.push(name) - 1, params, results);
    this.codes.push(code);
    return code;
  }

  exportFunc(name: string, index: number): void {
    this.export(name, EXTERNAL.func, index);
  }

  /** Fills table slots from `offset` when the module is instantiated. */
  elem(table: number, offset: number, funcs: readonly number[]): void {
    const out = this.elements.add();
    if (table === 0) out.u8(0);
    else {
      out.u8(2);
      out.u32(table);
    }
    writeConstant(out, 'i32', offset);
    out.u8(STRUCTURE_OPS.end);
    if (table !== 0) out.u8(EXTERNAL.func);
    writeIndices(out, funcs);
  }

  build(options: BuildOptions = {}): Uint8Array<ArrayBuffer> {
    const out = new ByteWriter(this.estimateSize());
    out.bytes([0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
    writeSection(out, SECTION.type, this.types);
    writeSection(out, SECTION.import, this.imports);
    writeSection(out, SECTION.function, this.functions);
    writeSection(out, SECTION.table, this.tables);
    writeSection(out, SECTION.global, this.globals);
    writeSection(out, SECTION.export, this.exports);
    writeSection(out, SECTION.element, this.elements);
    if (options.hints === true) writeHints(out, this.codes);
    writeCode(out, this.codes);
    if (options.names === true) writeNames(out, this.funcNames, this.codes);
    return out.view();
  }

  private import(module: string, name: string, kind: number): ByteWriter {
    const out = this.imports.add();
    out.name(module);
    out.name(name);
    out.u8(kind);
    return out;
  }

  private export(name: string, kind: number, index: number): void {
    const out = this.exports.add();
    out.name(name);
    out.u8(kind);
    out.u32(index);
  }

  private estimateSize(): number {
    let size = 1024;
    for (const code of this.codes) size += code.bodySize() + 8;
    return size;
  }
}

function writeValTypes(out: ByteWriter, types: readonly ValType[]): void {
  out.u32(types.length);
  for (const type of types) out.u8(VAL_TYPE_CODES[type]);
}

function writeIndices(out: ByteWriter, indices: readonly number[]): void {
  out.u32(indices.length);
  for (const index of indices) out.u32(index);
}

function writeLimits(out: ByteWriter, min: number, max: number | undefined): void {
  out.u8(max === undefined ? 0 : 1);
  out.u32(min);
  if (max !== undefined) out.u32(max);
}

/** A constant expression without its end; a v128 is given by its 128 bits as one integer. */
function writeConstant(out: ByteWriter, type: ValType, value: number | bigint): void {
  if (type === 'v128') {
    out.u8(opcodePrefix(WASM_OPS['v128.const']));
    out.u32(opcodeNumber(WASM_OPS['v128.const']));
    for (let i = 0n; i < 128n; i += 8n) out.u8(Number((BigInt(value) >> i) & 0xffn));
    return;
  }
  out.u8(SCALAR_CONST[`${type}.const`]);
  if (type === 'f32') out.f32(Number(value));
  else if (type === 'f64') out.f64(Number(value));
  else {
    const bits = BigInt(value);
    const low = Number(BigInt.asIntN(32, bits));
    if (type === 'i32') out.s32(low);
    else out.s64(low, Number(BigInt.asIntN(32, bits >> 32n)));
  }
}

function writeSection(out: ByteWriter, id: number, entries: Entries): void {
  if (entries.count === 0) return;
  out.u8(id);
  out.u32(u32Size(entries.count) + entries.out.length);
  out.u32(entries.count);
  out.bytes(entries.out.view());
}

function writeCustomSection(out: ByteWriter, name: string, content: ByteWriter): void {
  const header = new ByteWriter(64);
  header.name(name);
  out.u8(SECTION.custom);
  out.u32(header.length + content.length);
  out.bytes(header.view());
  out.bytes(content.view());
}

function writeCode(out: ByteWriter, codes: readonly Code[]): void {
  if (codes.length === 0) return;
  let size = u32Size(codes.length);
  for (const code of codes) {
    const bodySize = code.bodySize();
    size += u32Size(bodySize) + bodySize;
  }
  out.u8(SECTION.code);
  out.u32(size);
  out.u32(codes.length);
  for (const code of codes) {
    out.u32(code.bodySize());
    code.encodeBody(out);
  }
}

/** The branch hinting proposal wants this before the code section, functions and offsets in order. */
function writeHints(out: ByteWriter, codes: readonly Code[]): void {
  const hinted = codes.filter((code) => code.hintCount > 0);
  if (hinted.length === 0) return;
  const content = new ByteWriter();
  content.u32(hinted.length);
  for (const code of hinted) code.encodeHints(content);
  writeCustomSection(out, HINT_SECTION, content);
}

function writeNames(out: ByteWriter, funcNames: readonly string[], codes: readonly Code[]): void {
  const content = new ByteWriter(1024);
  writeSubsection(content, NAME_SUBSECTION.functions, (body) => writeNameMap(body, funcNames.entries(), funcNames.length));
  const named = codes.filter((code) => code.names.size > 0);
  writeSubsection(content, NAME_SUBSECTION.locals, (body) => {
    body.u32(named.length);
    for (const code of named) {
      body.u32(code.index);
      writeNameMap(body, [...code.names].sort(([a], [b]) => a - b), code.names.size);
    }
  });
  writeCustomSection(out, NAME_SECTION, content);
}

function writeSubsection(out: ByteWriter, id: number, write: (body: ByteWriter) => void): void {
  const body = new ByteWriter(1024);
  write(body);
  out.u8(id);
  out.u32(body.length);
  out.bytes(body.view());
}

function writeNameMap(out: ByteWriter, names: Iterable<[number, string]>, count: number): void {
  out.u32(count);
  for (const [index, name] of names) {
    out.u32(index);
    out.name(name);
  }
}
