/**
 * The core module: all helpers, the interpreter and the dispatcher, in one WebAssembly module that
 * is made once per process. It puts the helpers into the function table that it shares with the
 * compiled regions, which reach them there: an imported function costs V8 30 to 70 microseconds
 * per module, an entry of a table nothing.
 *
 * Imports: js.resolve() -> i32 and js.sysCall(number) -> i32, both working on the FAULT_* slots.
 * Exports: `run` and `interpret`.
 */
import { unreachable } from '../base/assert.js';
import { FAULT_ADDRESS, RIP } from '../layout/cpuState.js';
import { LINEAR_MEMORY_PAGES, STATE_BASE } from '../layout/memoryMap.js';
import { ModuleBuilder } from '../wasm/module.js';
import type { Code, ValType } from '../wasm/code.js';
import { ENTRY_LAYOUT, emitEntryAddress, emitFunctionIndex, emitWhich } from './blockTable.js';
import { OPERATION_COUNT } from './bytecode.js';
import type { HelperDef } from './emit.js';
import { EXIT } from './exits.js';
import { HELPERS } from './helpers/index.js';
import { buildInterpreter } from './interpreter.js';

/** Entry 0 of the function table stays empty: 0 means "not compiled". */
const FIRST_HELPER_INDEX = 1;

interface Signature {
  readonly params: readonly ValType[];
  readonly results: readonly ValType[];
}

/** Functions that JavaScript supplies. */
export const JS_IMPORTS: Readonly<Record<string, Signature>> = {
  'js.resolve': { params: [], results: ['i32'] },
  'js.sysCall': { params: ['i32'], results: ['i32'] },
};

/** sys.call(address, number) -> 0 done, -1 fault, else a trap vector + 1. */
const SYS_CALL: HelperDef = {
  name: 'sys.call',
  params: ['i64', 'i32'],
  results: ['i32'],
  build(code, helper) {
    code.i32(STATE_BASE).get(0).mem('i64.store', FAULT_ADDRESS.offset, 3);
    code.get(1).call(helper('js.sysCall'));
  },
};

const ALL_HELPERS: readonly HelperDef[] = [...HELPERS, SYS_CALL];

/** Each helper with its index in the function table. */
export const HELPER_TABLE: ReadonlyMap<string, { readonly def: HelperDef; readonly index: number }> = new Map(
  ALL_HELPERS.map((def, i) => [def.name, { def, index: FIRST_HELPER_INDEX + i }]),
);

/** Of a region's function: see regionCompiler.ts. */
export const REGION_PARAMS: readonly ValType[] = ['i32', 'i32', 'i64'];
/** Without signals and system calls, deeper nesting than this uses up V8's stack. */
const MOST_NESTED_CALLS = 500;
/** Where no guest returns to. */
const NO_RETURN = -1;

/** Then come the handlers of the interpreter, then compiled regions. */
const FIRST_HANDLER_INDEX = FIRST_HELPER_INDEX + ALL_HELPERS.length;
export const FIRST_REGION_INDEX = FIRST_HANDLER_INDEX + OPERATION_COUNT;

export interface CoreOptions {
  readonly names?: boolean;
}

export function buildCoreModule({ names = false }: CoreOptions = {}): Uint8Array<ArrayBuffer> {
  const module = new ModuleBuilder();
  const indices = new Map<string, number>();
  for (const [name, { params, results }] of Object.entries(JS_IMPORTS)) {
    indices.set(name, module.importFunc('env', name, params, results));
  }
  module.importMemory('env', 'memory', LINEAR_MEMORY_PAGES, LINEAR_MEMORY_PAGES);
  const table = module.importTable('env', 'functions', FIRST_REGION_INDEX);
  const helper = (name: string): number => indices.get(name) ?? unreachable(`no helper ${name}`);
  const declare = (def: HelperDef): [HelperDef, Code] => {
    const code = module.func(def.name, def.params, def.results);
    indices.set(def.name, code.index);
    return [def, code];
  };
  const bodies = ALL_HELPERS.map(declare);
  for (const [def, code] of bodies) def.build(code, helper);
  module.elem(table, FIRST_HELPER_INDEX, bodies.map(([, code]) => code.index));

  const interpret = buildInterpreter(module, helper, { table, first: FIRST_HANDLER_INDEX });
  module.exportFunc('interpret', interpret);

  const run = module.func('run', [], ['i32']);
  buildDispatcher(run, interpret, module.type(REGION_PARAMS, ['i32']));
  module.exportFunc('run', run.index);
  return module.build({ names });
}

/** run() -> EXIT: executes from rip on, compiled where possible, until something needs JavaScript. */
function buildDispatcher(code: Code, interpret: number, regionType: number): void {
  const address = code.local('i64', 'address');
  const entry = code.local('i32', 'entry');
  const target = code.local('i32', 'target');
  const status = code.local('i32', 'status');
  const again = code.loop();
  code.i32(STATE_BASE).mem('i64.load', RIP.offset, 3).set(address);
  emitEntryAddress(code, address);
  code.tee(entry).mem('i64.load', ENTRY_LAYOUT.address, 3).get(address).op('i64.ne').if_();
  code.i32(EXIT.TRANSLATE).ret();
  code.end();
  code.get(entry).mem('i32.load', ENTRY_LAYOUT.compiled, 2).tee(target).if_();
  emitWhich(code, target);
  code.i32(MOST_NESTED_CALLS).i64num(NO_RETURN);
  emitFunctionIndex(code, target);
  code.callIndirect(regionType).set(status);
  code.else_();
  code.get(entry).mem('i32.load', ENTRY_LAYOUT.bytecode, 2).tee(target).op('i32.eqz').if_();
  code.i32(EXIT.TRANSLATE).ret();
  code.end();
  code.get(target).i32(0).call(interpret).set(status);
  code.end();
  code.get(status).op('i32.eqz').get(status).i32(EXIT.RETURNED).op('i32.eq').op('i32.or').brIf(again);
  code.end();
  code.get(status);
}
