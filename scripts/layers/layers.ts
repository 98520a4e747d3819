/**
 * The folders of src/ from the ground up: a file imports only folders before its own, and its own. A folder that is not
 * listed belongs to the nearest one above it that is. `node scripts/checkLayers.mjs --map` prints the table for
 * ARCHITECTURE.md.
 */
export interface Layer {
  readonly folder: string;
  readonly what: string;
  /** The only folders and files that it may import, if it may not import everything before it. */
  readonly only?: readonly string[];
}

/** Data, and what is known of files and instructions without running them. */
const PLAIN = ['base', 'rules', 'layout', 'elf', 'dwarf', 'ir', 'x86'];
/**
 * What executions are seen through: their interface, conditions, states, processes and branches; no machine, kernel or
 * player.
 */
const EXECUTIONS = [
  ...['execution', 'observing', 'conditions', 'hitMeets', 'state', 'work', 'steps', 'searchDriver', 'recordedProcesses']
    .map((name) => `replay/timeline/${name}.ts`),
  'replay/log/position.ts', 'replay/describe', 'replay/branch',
];
/** It reads the header of a recording, and addresses that blocks had; its tests of registers are made as code. */
const DEBUGGER = [...PLAIN, ...EXECUTIONS, 'wasm', 'replay/recordingFile/recordingHeader.ts', 'replay/timeline/blockAddresses.ts', 'debugger'];
const ANALYSES = [...PLAIN, ...EXECUTIONS, 'debugger', 'graphs', 'flow'];
/** Nothing of an execution: histories of structures are values. */
const SHAPES = ['base', 'rules/language', 'shapes/model.ts'];
/** Checks are woven into the machine, the kernel and the player by their nature: they put values into all of them. */
const CHECKS = [...ANALYSES, 'machine', 'linux', 'replay/play'];
const FRONT_ENDS = [...ANALYSES, 'slices', 'whatIf', 'probe', 'traces', 'check', 'blame', 'shapes'];

export const LAYERS: readonly Layer[] = [
  { folder: 'base', what: 'errors, assertions, branded numbers, error numbers, how texts of programs are shown' },
  { folder: 'rules', what: 'the language that says what a bug is' },
  { folder: 'layout', what: 'where everything lies in linear memory; the CPU state, declared once' },
  { folder: 'wasm', what: 'WebAssembly: encoder, reader, printer' },
  { folder: 'elf', what: 'ELF files' },
  { folder: 'dwarf', what: 'debug information, read as it is asked for' },
  { folder: 'ir', what: 'operations, builder, what operations compute, verifier' },
  { folder: 'x86', what: 'decoding and lifting, a file per family of instructions' },
  { folder: 'jit', what: 'emitters, interpreter, regions and their compiler' },
  { folder: 'machine', what: 'linear memory, address spaces, code cache, the engine that runs code' },
  { folder: 'machine/snapshots', what: 'whole machines, put away and brought back' },
  { folder: 'replay/format', what: 'the bytes of recordings' },
  { folder: 'host', what: 'the only door to this machine: files, clock, terminal, signals, randomness' },
  { folder: 'linux', what: 'the kernel we play' },
  { folder: 'replay/log', what: 'events of a run in memory' },
  { folder: 'replay/describe', what: 'events in words' },
  { folder: 'replay/play', what: 'the player: a run again from its events, without a kernel' },
  { folder: 'replay/record', what: 'a run that writes its events' },
  { folder: 'replay/checkpointStore', what: 'snapshots along a recording, in memory and in files' },
  { folder: 'replay/recordingFile', what: 'recordings as files' },
  { folder: 'replay/timeline', what: 'a recording to move in: states at any time, searches, what happened when' },
  { folder: 'replay/branch', what: 'executions that leave a recording and go on alive' },
  { folder: 'replay/again', what: 'the program of a recording, run once more from its start' },
  { folder: 'replay', what: 'what is left of recordings' },
  { folder: 'debugger/values/demangle', what: 'names of C++ and Rust', only: PLAIN },
  { folder: 'debugger/program', what: 'what is loaded: modules, functions, lines, frames', only: DEBUGGER },
  { folder: 'debugger/values', what: 'expressions and how values are shown', only: DEBUGGER },
  { folder: 'debugger', what: 'source-level debugging for all front ends: stops and steps', only: DEBUGGER },
  { folder: 'graphs', what: 'control-flow graphs of functions, with post-dominators', only: [...PLAIN, 'debugger/program'] },
  { folder: 'flow', what: 'where values come from', only: ANALYSES },
  { folder: 'slices', what: 'what depended on what: dynamic slices', only: ANALYSES },
  { folder: 'whatIf', what: 'conditions inverted and statements left out in branches, and what comes of it', only: ANALYSES },
  { folder: 'probe', what: 'which conditions and calls made a run fail, tried in branches', only: [...ANALYSES, 'slices', 'whatIf'] },
  { folder: 'counts', what: 'how often functions were called and lines ran', only: [...ANALYSES, 'wasm'] },
  { folder: 'shapes/model.ts', what: 'the memory graph of data structures, and operations on it', only: [] },
  { folder: 'shapes/language', what: 'what a healthy structure looks like: the language of .shape files', only: SHAPES },
  { folder: 'shapes/checking', what: 'memory graphs at any time, and what is inconsistent in them', only: [...SHAPES, 'shapes/language'] },
  { folder: 'shapes/locate', what: 'the operations that made a structure inconsistent', only: [...SHAPES, 'shapes/language', 'shapes/checking'] },
  { folder: 'shapes/explain', what: 'specifications in words, graphs as drawings', only: [...SHAPES, 'shapes/language', 'shapes/checking', 'shapes/locate'] },
  { folder: 'shapes/learn', what: 'constraints that held, proposed', only: [...SHAPES, 'shapes/language', 'shapes/checking'] },
  { folder: 'shapes', what: 'data structures: what was broken, and by which statement', only: [...SHAPES, 'shapes'] },
  { folder: 'traces', what: 'lazy traces over whole executions, for scripts', only: [...ANALYSES, 'counts'] },
  { folder: 'check', what: 'memory checks: heaps with addresses of their own, rules at faults, reports', only: CHECKS },
  { folder: 'check/program', what: 'a whole check: a program of a host, run, recorded and reported on' },
  { folder: 'shapes/history', what: 'what happened to the nodes of data structures, from an execution', only: [...ANALYSES, 'check', 'shapes/model.ts'] },
  { folder: 'shapes/report', what: 'structures of a run that are broken, and the statements that broke them', only: [...ANALYSES, 'slices', 'shapes'] },
  { folder: 'blame', what: 'the first point of memory corruption, by suppression, guards and re-ordering', only: [...ANALYSES, 'slices', 'whatIf', 'probe', 'check'] },
  { folder: 'triage', what: 'many inputs, grouped by what is to blame', only: ['base', 'blame'] },
  { folder: 'paths', what: 'paths through programs: reports of analysers read, written, folded and drawn in the source', only: ['base'] },
  { folder: 'gdbserver', what: 'the remote serial protocol over an execution', only: FRONT_ENDS },
  { folder: 'terminal', what: "`culprit debug`: gdb's commands as text in and text out", only: FRONT_ENDS },
  { folder: 'dap', what: 'the debug adapter', only: [...FRONT_ENDS, 'terminal'] },
  { folder: 'cli/output', what: 'what the command prints, and to where' },
  { folder: 'cli/v8', what: "V8's machine code, kept between runs" },
  { folder: 'cli/stores', what: 'what the command keeps in files' },
  { folder: 'cli/arguments', what: 'what command lines mean' },
  { folder: 'cli/running', what: 'programs run by the command' },
  { folder: 'cli/threads', what: 'worker threads' },
  { folder: 'cli/opening', what: 'recordings opened, with all that belongs to them' },
  { folder: 'cli/triage', what: 'many inputs: found, blamed in threads and through queues, results kept' },
  { folder: 'api', what: 'the public interface for scripts' },
  { folder: 'cli/query', what: '`culprit query`' },
  { folder: 'cli/serving', what: 'servers for debuggers and editors' },
  { folder: 'cli/commands', what: 'a file per command' },
  { folder: 'cli', what: 'the command; thin' },
];

/** Folders that may know Node, clocks and randomness. */
export const OUTER: ReadonlySet<string> = new Set(['host', 'cli', 'api']);

/** Files elsewhere that may use one global name. */
export const ALLOWED_GLOBALS: ReadonlyMap<string, string> = new Map([
  // What starts the engine may have left a memory there, under a symbol.
  ['src/machine/linearMemory.ts', 'globalThis'],
]);

/** Packages, and the folders that may import them. */
export const PACKAGES: ReadonlyMap<string, readonly string[]> = new Map([
  ['iced-x86', ['x86', 'linux/signals', 'check']],
  ['@vscode/debugadapter', ['dap']],
  ['@vscode/debugprotocol', ['dap']],
  ['commander', ['cli']],
  ['esbuild', ['cli/query']],
  ['bullmq', ['cli/triage']],
  ['ioredis', ['cli/triage']],
  ['web-tree-sitter', ['paths/folding', 'cli/commands']],
]);

/** Where the world comes in: what these files export is used from outside. */
export const ENTRIES: readonly string[] = ['src/index.ts', 'src/api/traces.ts', 'src/cli/main.ts', 'src/cli/queryMain.ts'];

/** The layer that a file of src/ belongs to: the innermost listed folder around it. */
export function layerOf(path: string): Layer | null {
  const folder = path.replace(/^src\//, '');
  return LAYERS.filter((layer) => isBelow(folder, layer.folder)).sort((a, b) => b.folder.length - a.folder.length)[0] ?? null;
}

/** Whether a path is the given one, or below it. */
export function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

export function isOuter(path: string): boolean {
  return path === 'src/index.ts' || OUTER.has(path.split('/')[1] ?? '');
}
