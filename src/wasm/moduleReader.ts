/**
 * Reads the sections of a binary module into plain data, function bodies as byte ranges. Covers what
 * ModuleBuilder writes (plus own memories); other sections and newer features are a WasmFormatError.
 */
import { ByteReader, WasmFormatError } from './byteReader.js';
import { VAL_TYPE_CODES, type ValType } from './code.js';
import { EXTERNAL, FUNC_REF, FUNC_TYPE, HINT_SECTION, NAME_SECTION, NAME_SUBSECTION, SECTION } from './module.js';

export interface FuncType {
  readonly params: readonly ValType[];
  readonly results: readonly ValType[];
}

export interface Limits {
  readonly min: number;
  readonly max: number | undefined;
}

type ImportDescription =
  | { readonly kind: 'func'; readonly type: number }
  | { readonly kind: 'table' | 'memory'; readonly limits: Limits }
  | { readonly kind: 'global'; readonly type: ValType; readonly mutable: boolean };

export type Import = { readonly module: string; readonly name: string } & ImportDescription;

interface Global {
  readonly type: ValType;
  readonly mutable: boolean;
  /** Where its initial value's expression starts. */
  readonly init: number;
}

interface Export {
  readonly name: string;
  readonly kind: number;
  readonly index: number;
}

interface Elements {
  readonly table: number;
  readonly offset: number;
  readonly funcs: readonly number[];
}

/** The instructions of a body are at `start` up to `end`, after the local declarations. */
interface Body {
  readonly locals: readonly ValType[];
  readonly start: number;
  readonly end: number;
  /** Where offsets of branch hints count from. */
  readonly origin: number;
}

export interface ModuleText {
  readonly types: FuncType[];
  readonly imports: Import[];
  /** Types of the module's own functions. */
  readonly functions: number[];
  readonly tables: Limits[];
  readonly memories: Limits[];
  readonly globals: Global[];
  readonly exports: Export[];
  readonly elements: Elements[];
  readonly bodies: Body[];
  readonly funcNames: Map<number, string>;
  readonly localNames: Map<number, Map<number, string>>;
  /** By function index, then by offset from the body's origin: likely or not. */
  readonly hints: Map<number, Map<number, boolean>>;
}

const MAX_LOCALS = 50_000;

const VAL_TYPES = new Map(Object.entries(VAL_TYPE_CODES).map(([name, code]) => [code, name as ValType]));

export function readModule(bytes: Uint8Array): ModuleText {
  const reader = new ByteReader(bytes);
  for (const expected of [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0]) {
    const offset = reader.offset;
    if (reader.u8() !== expected) throw new WasmFormatError('not the header of a version 1 module', offset);
  }
  const module: ModuleText = {
    types: [], imports: [], functions: [], tables: [], memories: [], globals: [], exports: [], elements: [], bodies: [],
    funcNames: new Map(), localNames: new Map(), hints: new Map(),
  };
  while (!reader.done) {
    const id = reader.u8();
    const section = reader.sub(reader.u32());
    readSection(module, id, section);
    if (!section.done) section.fail(`bytes left over in section ${id}`);
  }
  if (module.bodies.length !== module.functions.length) {
    reader.fail(`${module.functions.length} functions declared, but ${module.bodies.length} bodies`);
  }
  return module;
}

function readSection(module: ModuleText, id: number, r: ByteReader): void {
  switch (id) {
    case SECTION.custom: return readCustom(module, r);
    case SECTION.type: return readInto(module.types, r, readFuncType);
    case SECTION.import: return readInto(module.imports, r, () => readImport(module, r));
    case SECTION.function: return readInto(module.functions, r, () => readTypeIndex(module.types, r));
    case SECTION.table: return readInto(module.tables, r, readTable);
    case SECTION.memory: return readInto(module.memories, r, readLimits);
    case SECTION.global: return readInto(module.globals, r, readGlobal);
    case SECTION.export: return readInto(module.exports, r, readExport);
    case SECTION.element: return readInto(module.elements, r, readElements);
    case SECTION.code: return readInto(module.bodies, r, readBody);
    default: return r.fail(`section ${id} is not supported`);
  }
}

function readInto<T>(items: T[], r: ByteReader, read: (r: ByteReader) => T): void {
  for (let count = r.u32(); count > 0; count--) items.push(read(r));
}

export function readValType(r: ByteReader): ValType {
  const offset = r.offset;
  const code = r.u8();
  const type = VAL_TYPES.get(code);
  if (type === undefined) throw new WasmFormatError(`unknown value type 0x${code.toString(16)}`, offset);
  return type;
}

function expectByte(r: ByteReader, expected: number, what: string): void {
  const offset = r.offset;
  const found = r.u8();
  if (found !== expected) throw new WasmFormatError(`${what}: 0x${expected.toString(16)} expected, 0x${found.toString(16)} found`, offset);
}

function readFuncType(r: ByteReader): FuncType {
  expectByte(r, FUNC_TYPE, 'function type');
  return { params: r.vector(() => readValType(r)), results: r.vector(() => readValType(r)) };
}

function readLimits(r: ByteReader): Limits {
  const flag = r.u8();
  if (flag > 1) r.fail(`limits with flag ${flag} are not supported`);
  return { min: r.u32(), max: flag === 1 ? r.u32() : undefined };
}

function readTable(r: ByteReader): Limits {
  expectByte(r, FUNC_REF, 'type of table elements');
  return readLimits(r);
}

function readMutable(r: ByteReader): boolean {
  const flag = r.u8();
  if (flag > 1) r.fail(`mutability ${flag} of a global`);
  return flag === 1;
}

export function readTypeIndex(types: readonly FuncType[], r: ByteReader): number {
  const offset = r.offset;
  const index = r.u32();
  if (index >= types.length) throw new WasmFormatError(`function type ${index} of ${types.length}`, offset);
  return index;
}

function readImport(module: ModuleText, r: ByteReader): Import {
  return { module: r.name(), name: r.name(), ...readImportDescription(module.types, r) };
}

function readImportDescription(types: readonly FuncType[], r: ByteReader): ImportDescription {
  const kind = r.u8();
  switch (kind) {
    case EXTERNAL.func: return { kind: 'func', type: readTypeIndex(types, r) };
    case EXTERNAL.table: return { kind: 'table', limits: readTable(r) };
    case EXTERNAL.memory: return { kind: 'memory', limits: readLimits(r) };
    case EXTERNAL.global: return { kind: 'global', type: readValType(r), mutable: readMutable(r) };
    default: return r.fail(`unknown kind ${kind} of import`);
  }
}

function readGlobal(r: ByteReader): Global {
  const type = readValType(r);
  const mutable = readMutable(r);
  const init = r.offset;
  skipConstant(r, type);
  return { type, mutable, init };
}

/** A constant's opcode, value and end. */
function skipConstant(r: ByteReader, type: ValType): void {
  r.u8();
  if (type === 'i32') r.s32();
  else if (type === 'i64') r.s64();
  else r.bytes(type === 'f32' ? 4 : type === 'f64' ? 8 : 17);
  expectByte(r, 0x0b, 'end of a constant');
}

function readExport(r: ByteReader): Export {
  return { name: r.name(), kind: r.u8(), index: r.u32() };
}

function readElements(r: ByteReader): Elements {
  const flag = r.u8();
  if (flag !== 0 && flag !== 2) r.fail(`elements with flag ${flag} are not supported`);
  const table = flag === 2 ? r.u32() : 0;
  expectByte(r, 0x41, 'offset of elements');
  const offset = r.s32() >>> 0;
  expectByte(r, 0x0b, 'end of the offset');
  if (flag === 2) expectByte(r, 0, 'kind of elements');
  return { table, offset, funcs: r.vector(() => r.u32()) };
}

function readBody(r: ByteReader): Body {
  const body = r.sub(r.u32());
  const origin = body.offset;
  const locals: ValType[] = [];
  for (let runs = body.u32(); runs > 0; runs--) {
    const length = body.u32();
    const type = readValType(body);
    if (locals.length + length > MAX_LOCALS) body.fail('too many locals');
    for (let i = 0; i < length; i++) locals.push(type);
  }
  return { locals, start: body.offset, end: body.end, origin };
}

function readCustom(module: ModuleText, r: ByteReader): void {
  const name = r.name();
  if (name === NAME_SECTION) return readNames(module, r);
  if (name === HINT_SECTION) return readHints(module, r);
  r.bytes(r.end - r.offset);
}

function readNames(module: ModuleText, r: ByteReader): void {
  while (!r.done) {
    const id = r.u8();
    const sub = r.sub(r.u32());
    if (id === NAME_SUBSECTION.functions) readNameMap(module.funcNames, sub);
    if (id === NAME_SUBSECTION.locals) {
      for (let count = sub.u32(); count > 0; count--) {
        const names = new Map<number, string>();
        module.localNames.set(sub.u32(), names);
        readNameMap(names, sub);
      }
    }
  }
}

function readNameMap(names: Map<number, string>, r: ByteReader): void {
  for (let count = r.u32(); count > 0; count--) {
    const index = r.u32();
    names.set(index, r.name());
  }
}

function readHints(module: ModuleText, r: ByteReader): void {
  for (let count = r.u32(); count > 0; count--) {
    const hints = new Map<number, boolean>();
    module.hints.set(r.u32(), hints);
    for (let hintCount = r.u32(); hintCount > 0; hintCount--) {
      const offset = r.u32();
      expectByte(r, 1, 'size of a branch hint');
      hints.set(offset, r.u8() === 1);
    }
  }
}
