/**
 * Prints a binary module in the style of the WebAssembly text format, for people to read (`culprit ir`)
 * and for golden tests. What it prints can be assembled again (wat2wasm gives the same bytes but for
 * alignment hints). Names come from the name section where there is one, else functions are $f0, locals $l0;
 * characters that identifiers may not have become `_`, and a name already taken gets its index appended.
 */
import { assert } from '../base/assert.js';
import { ByteReader, WasmFormatError } from './byteReader.js';
import type { ValType } from './code.js';
import { bodyLines, constantText, type IndexNames } from './instructionText.js';
import { EXTERNAL } from './module.js';
import { readModule, readTypeIndex, type FuncType, type Import, type Limits, type ModuleText } from './moduleReader.js';

export { WasmFormatError };

export function printModule(bytes: Uint8Array): string {
  return new ModulePrinter(bytes).module();
}

/** One function, by index in the module (imports first) or by name. */
export function printFunction(bytes: Uint8Array, indexOrName: number | string): string {
  return new ModulePrinter(bytes).function(indexOrName);
}

class ModulePrinter {
  private readonly m: ModuleText;
  private readonly imported: Record<Import['kind'], number> = { func: 0, table: 0, memory: 0, global: 0 };
  private readonly funcs: string[];

  constructor(private readonly bytes: Uint8Array) {
    this.m = readModule(bytes);
    for (const { kind } of this.m.imports) this.imported[kind]++;
    this.funcs = identifiers(this.imported.func + this.m.functions.length, 'f', this.m.funcNames);
  }

  module(): string {
    const { m } = this;
    const lines = [
      ...m.types.map((type, i) => `(type $t${i} (func${signature(type)}))`),
      ...this.importLines(),
      ...m.tables.map((limits, i) => `(table $table${this.imported.table + i}${limitsText(limits)} funcref)`),
      ...m.memories.map((limits, i) => `(memory $memory${this.imported.memory + i}${limitsText(limits)})`),
      ...m.globals.map((global, i) => `(global $g${this.imported.global + i} ${this.globalText(global)})`),
      ...m.exports.map(({ name, kind, index }) => `(export ${quote(name)} (${this.externalText(kind, index)}))`),
      ...m.elements.map(({ table, offset, funcs }) =>
        [`(elem (table $table${table}) (i32.const ${offset}) func`, ...funcs.map((f) => this.funcName(f))].join(' ') + ')'),
      ...m.bodies.flatMap((_, i) => this.functionLines(this.imported.func + i)),
    ];
    return ['(module', ...lines.map((line) => `  ${line}`), ')', ''].join('\n');
  }

  function(indexOrName: number | string): string {
    const index = typeof indexOrName === 'number' ? indexOrName : this.indexOf(indexOrName);
    assert(index >= this.imported.func && index < this.funcs.length, `no function ${indexOrName} in the module`);
    return [...this.functionLines(index), ''].join('\n');
  }

  private indexOf(name: string): number {
    for (const [index, known] of this.m.funcNames) if (known === name) return index;
    const exported = this.m.exports.find((e) => e.kind === EXTERNAL.func && e.name === name);
    return exported?.index ?? this.funcs.indexOf(name.startsWith('$') ? name : `$${name}`);
  }

  private functionLines(index: number): string[] {
    const own = index - this.imported.func;
    const typeIndex = this.m.functions[own]!;
    const type = this.m.types[typeIndex]!;
    const body = this.m.bodies[own]!;
    const locals = identifiers(type.params.length + body.locals.length, 'l', this.m.localNames.get(index));
    const names: IndexNames = {
      local: (i) => locals[i] ?? `${i}`,
      func: (i) => this.funcName(i),
      typeUse: (r) => this.typeUse(readTypeIndex(this.m.types, r)),
    };
    const hints = this.m.hints.get(index);
    const params = type.params.map((t, i) => ` (param ${locals[i]!} ${t})`).join('');
    const instructions = bodyLines(new ByteReader(this.bytes, body.start, body.end), names, (at) => hints?.get(at - body.origin));
    return [
      `(func ${this.funcs[index]!} (type $t${typeIndex})${params}${group('result', type.results)}`,
      ...body.locals.map((t, i) => `  (local ${locals[type.params.length + i]!} ${t})`),
      ...instructions.map((line) => `  ${line}`),
      ')',
    ];
  }

  private importLines(): string[] {
    const next: Record<Import['kind'], number> = { func: 0, table: 0, memory: 0, global: 0 };
    return this.m.imports.map((entry) =>
      `(import ${quote(entry.module)} ${quote(entry.name)} (${this.importText(entry, next[entry.kind]++)}))`);
  }

  private importText(entry: Import, index: number): string {
    switch (entry.kind) {
      case 'func': return `func ${this.funcName(index)} ${this.typeUse(entry.type)}`;
      case 'table': return `table $table${index}${limitsText(entry.limits)} funcref`;
      case 'memory': return `memory $memory${index}${limitsText(entry.limits)}`;
      case 'global': return `global $g${index} ${globalType(entry)}`;
    }
  }

  private globalText(global: ModuleText['globals'][number]): string {
    return `${globalType(global)} ${constantText(new ByteReader(this.bytes, global.init))}`;
  }

  private externalText(kind: number, index: number): string {
    switch (kind) {
      case EXTERNAL.func: return `func ${this.funcName(index)}`;
      case EXTERNAL.table: return `table $table${index}`;
      case EXTERNAL.memory: return `memory $memory${index}`;
      default: return `global $g${index}`;
    }
  }

  private funcName(index: number): string {
    return this.funcs[index] ?? `${index}`;
  }

  private typeUse(index: number): string {
    return `(type $t${index})${signature(this.m.types[index]!)}`;
  }
}

/** Distinct identifiers for indices below `count`. */
function identifiers(count: number, letter: string, names: ReadonlyMap<number, string> | undefined): string[] {
  const taken = new Set<string>();
  const result: string[] = [];
  for (let i = 0; i < count; i++) {
    let id = `$${(names?.get(i) ?? '').replace(/[^\w!#$%&'*+./:<=>?@\\^`|~-]/g, '_')}`;
    if (id === '$') id = `$${letter}${i}`;
    while (taken.has(id)) id += `_${i}`;
    taken.add(id);
    result.push(id);
  }
  return result;
}

function signature(type: FuncType): string {
  return group('param', type.params) + group('result', type.results);
}

function group(keyword: string, types: readonly ValType[]): string {
  return types.length === 0 ? '' : ` (${keyword} ${types.join(' ')})`;
}

function globalType(global: { type: ValType; mutable: boolean }): string {
  return global.mutable ? `(mut ${global.type})` : global.type;
}

function limitsText({ min, max }: Limits): string {
  return max === undefined ? ` ${min}` : ` ${min} ${max}`;
}

function quote(text: string): string {
  const escape = (c: string) => (c === '"' || c === '\\' ? `\\${c}` : `\\u{${c.charCodeAt(0).toString(16)}}`);
  return `"${text.replace(/["\\\p{Cc}]/gu, escape)}"`;
}
