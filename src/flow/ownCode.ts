/**
 * Which code is the user's own, and which is a library's that was called from there. What libraries do with a value is
 * one link of a chain, at the line of the call.
 */
import { Backtrace } from '../debugger/program/backtrace.js';
import type { LoadedModule, Modules } from '../debugger/program/modules.js';
import { ProgramView } from '../debugger/program/programView.js';
import { withoutParameters } from '../debugger/program/functionNames.js';
import type { VisibleFrame } from '../debugger/program/visibleFrame.js';
import { demangle } from '../debugger/values/demangle/demangle.js';
import type { State } from '../replay/timeline/state.js';

/** Where an instruction belongs in the eyes of the user. */
export interface Context {
  /** The innermost frame with a line of the user's own; undefined if there is none, as before main. */
  readonly frame: VisibleFrame | undefined;
  /** The library function that was called there, if one is under way. */
  readonly called: string | undefined;
  /** Whether memory is being allocated: what comes out of that is new. */
  readonly isAllocating: boolean;
  /** Whether memory is being allocated or freed: what is stored then is the heap's own bookkeeping. */
  readonly isInHeap: boolean;
}

/** call rel32 */
const CALL = 0xe8;
/** Frames that are looked at. */
const DEEPEST = 64;
const SYSTEM_PATH = /^\/usr\/(include|lib|src|share)\//;
const SYSTEM_LIBRARY = /^(\/usr)?\/lib(32|64|x32)?\//;
const ALLOCATOR = /^(malloc|calloc|realloc|reallocarray|memalign|aligned_alloc|posix_memalign|valloc|pvalloc|mmap(64)?|mremap|brk|sbrk|operator new(\[\])?|int_(malloc|realloc|memalign))$/;

const FREEING = /^(free|cfree|reallocarray|realloc|operator delete(\[\])?|int_free\w*)$/;

export function viewOf(state: State, id: number, modules: Modules): ProgramView | undefined {
  const thread = state.threads.find((candidate) => candidate.id === id);
  return thread === undefined ? undefined : new ProgramView(state, thread, modules);
}

/** Where the thread stands. */
export function contextOf(view: ProgramView): Context {
  const frames = new Backtrace(view).frames(DEEPEST);
  const index = frames.findIndex((frame) => isOwn(view, frame));
  const inner = index < 0 ? frames : frames.slice(0, index);
  const outermost = inner.at(-1);
  const names = inner.map(libraryName);
  const isAllocating = names.some((name) => ALLOCATOR.test(name));
  return {
    frame: frames[index],
    called: outermost === undefined ? undefined : calledName(view, frames[index], outermost),
    isAllocating,
    isInHeap: isAllocating || names.some((name) => FREEING.test(name)),
  };
}

/** Whether the code at an address has lines of the user's own. */
export function isOwnCode(view: ProgramView, address: number): boolean {
  const module = view.moduleAt(BigInt(address));
  const range = module?.file.lineRangeAt(address - Number(module.bias));
  return module !== undefined && range !== undefined && range.line > 0 && isUsers(view, module, range.file?.path);
}

/** Whether a frame stands in a line of the user's own. */
export function isOwn(view: ProgramView, frame: VisibleFrame): boolean {
  return frame.kind !== 'signal' && frame.line > 0 && frame.module !== undefined && isUsers(view, frame.module, frame.path);
}

/** Debug information of libraries may be installed on a machine or not: chains are the same. */
export function isUsers(view: ProgramView, module: LoadedModule, path: string | undefined): boolean {
  const isSystems = module !== view.modules.main && (module.file.debugPath !== undefined || SYSTEM_LIBRARY.test(module.path));
  return !isSystems && !SYSTEM_PATH.test(path ?? '');
}

/** As the user's code calls it: libraries jump from one function to another, and have several names for most. */
export function calledName(view: ProgramView, own: VisibleFrame | undefined, outermost: VisibleFrame): string {
  if (own === undefined || outermost.kind !== 'normal') return libraryName(outermost);
  const code = view.memory(own.pc - 5n, 5);
  if (code?.[0] !== CALL) return libraryName(outermost);
  const target = own.pc + BigInt(new DataView(code.buffer, code.byteOffset).getInt32(1, true));
  const name = view.linkage.nameOf(target);
  return name === undefined ? libraryName(outermost) : plainName(name);
}

/** `malloc` for all the names that it has inside of libc. */
function libraryName(frame: VisibleFrame): string {
  return plainName(frame.functionName ?? '??');
}

/** Underscores of C++ names are theirs: `__gnu_cxx` is a namespace. */
function plainName(name: string): string {
  if (name.startsWith('_Z')) return withoutParameters(demangle(name.replace(/@.*$/, ''), true));
  if (/::|<|^operator\b/.test(name)) return name;
  return name.replace(/@.*$/, '').replace(/^_*(GI_+)?(libc_|IO_|int_)/, (prefix) => (prefix.endsWith('int_') ? 'int_' : '')).replace(/^__(GI_+)?(isoc\d\d_)?/, '').replace(/_(avx|sse|evex|erms|ssse)\w*$/, '');
}
