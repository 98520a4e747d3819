/**
 * What execve does: finds the ELF file, builds the new process image at the addresses Linux would
 * choose, and sets the registers to the first instruction. Throws a UserError, with the exit
 * status a shell would give, if the program cannot be started; memory may then be half built.
 */
import { E } from '../../base/errno.js';
import { PAGE_SIZE, USER_SPACE_END, guestAddr, pageCeil, pageFloor, type GuestAddr } from '../../base/types.js';
import { ElfError } from '../../elf/elfError.js';
import { ElfFile } from '../../elf/elfFile.js';
import { ET, type Segment } from '../../elf/elfHeader.js';
import { FLAG, FPU_CONTROL, FPU_CONTROL_RESET, MXCSR_RESET, OTHER_FLAGS, RSP, TICKS } from '../../layout/cpuState.js';
import { PROT, anonymousMapping, type AddressSpace } from '../../machine/addressSpace.js';
import type { Cpu } from '../../machine/cpu.js';
import { auxvEntries } from './auxv.js';
import { buildInitialStack, type InitialStack } from './initialStack.js';
import { imageAlignment, imageBounds, loadElf } from './loadElf.js';
import type { LoaderFiles, ProgramFile } from './loaderFiles.js';
import { memoryLayout, type MemoryLayout } from './memoryLayout.js';
import { bytesOf, openProgram, type OpenedProgram } from './openProgram.js';
import { programPlaces, type ProgramPlaces } from './programPlaces.js';
import { badInterpreter, missingInterpreter, programError } from './programErrors.js';
import { buildVdso } from './vdso.js';

export interface LoadRequest {
  /** The file to execute, one character a byte: what AT_EXECFN shows. PATH look-up is findProgram's. */
  readonly path: string;
  readonly argv: readonly Uint8Array[];
  readonly envp: readonly Uint8Array[];
  readonly random16: Uint8Array;
  readonly uid: number;
  readonly euid: number;
  readonly gid: number;
  readonly egid: number;
  /** cpuid(1).edx, and AT_HWCAP2. */
  readonly hwcap: number;
  readonly hwcap2?: number;
  /** RLIMIT_STACK in bytes; Infinity for none. Default: 8 MiB. */
  readonly stackLimit?: number;
  readonly aslrSeed?: number;
  /** Pages of [vvar], [vvar_vclock] and [vdso]: they differ between kernels, and libraries lie below them. */
  readonly vdsoPages?: readonly [number, number, number];
  readonly minSignalStack?: number;
}

/** An ELF file in memory, for users of its symbols. */
interface LoadedFile {
  readonly path: string;
  readonly elf: ElfFile;
  /** What to add to addresses in the file. */
  readonly bias: number;
}

export interface LoadedImage {
  /** The first instruction: the interpreter's, if there is one. */
  readonly entry: GuestAddr;
  readonly program: LoadedFile;
  readonly interpreter: LoadedFile | undefined;
  readonly exePath: string;
  readonly argv: readonly Uint8Array[];
  readonly brkStart: GuestAddr;
  readonly layout: MemoryLayout;
  readonly stack: InitialStack;
  readonly vdsoBase: GuestAddr;
  readonly places: ProgramPlaces;
}

/** As Linux 6.18 has them. */
const VDSO_PAGES = [4, 2, 2] as const;
const MIN_SIGNAL_STACK = 0x6f0;
const DEFAULT_STACK_LIMIT = 8 * 1024 * 1024;
/** Most of linear memory that is kept for a stack to grow into. */
const MOST_STACK = 112 * 1024 * 1024;

export function loadProgram(space: AddressSpace, cpu: Cpu, files: LoaderFiles, request: LoadRequest): LoadedImage {
  const opened = openProgram(files, request.path, request.argv);
  opened.elf.checkLoadable();
  const interpreterFile = openInterpreter(files, opened);
  const stackLimit = request.stackLimit ?? DEFAULT_STACK_LIMIT;
  const layout = memoryLayout(stackLimit, request.aslrSeed);
  space.stackLimit = stackLimit;
  space.reserved = [{ start: layout.stackTop - Math.min(stackLimit, MOST_STACK), end: layout.stackTop }];

  const program = loadMain(space, opened, layout, interpreterFile !== undefined);
  const interpreter = interpreterFile === undefined ? undefined : loadInterpreter(space, interpreterFile, layout);
  const vdsoBase = mapVdso(space, layout, request.vdsoPages ?? VDSO_PAGES);
  const stack = buildStack(space, request, { opened, program, interpreter, vdsoBase, layout });
  const start = interpreter ?? program;
  const entry = guestAddr(start.elf.header.entry + start.bias);
  resetRegisters(cpu, entry, stack.pointer);
  return {
    entry, program, interpreter, vdsoBase, layout, stack,
    argv: opened.argv,
    exePath: opened.file.realPath,
    places: programPlaces(program, stack),
    brkStart: guestAddr(heapStart(program, layout, interpreter !== undefined)),
  };
}

interface OpenedFile {
  readonly file: ProgramFile;
  readonly elf: ElfFile;
}

function openInterpreter(files: LoaderFiles, opened: OpenedProgram): OpenedFile | undefined {
  const path = opened.elf.interpreter;
  if (path === undefined) return undefined;
  const asked = opened.elf.path;
  const facts = files.stat(path);
  if (typeof facts === 'number') throw -facts === E.NOENT ? missingInterpreter(asked, path) : badInterpreter(asked, path, -facts);
  if (facts.kind !== 'file' || !facts.executable) throw badInterpreter(asked, path, E.ACCES);
  const file = files.open(path);
  if (typeof file === 'number') throw programError(path, -file);
  const elf = new ElfFile(path, file.contents);
  elf.checkLoadable();
  return { file, elf };
}

function loadMain(space: AddressSpace, opened: OpenedFile, layout: MemoryLayout, hasInterpreter: boolean): LoadedFile {
  const { elf, file } = opened;
  let bias = 0;
  if (elf.header.type === ET.DYN) {
    bias = hasInterpreter ? programBias(elf, layout) : placeBelowMmapBase(space, elf, layout, imageAlignment(elf));
  }
  loadElf(space, elf, file.mappable, bias);
  return { path: file.realPath, elf, bias };
}

function loadInterpreter(space: AddressSpace, opened: OpenedFile, layout: MemoryLayout): LoadedFile {
  const { elf, file } = opened;
  const bias = elf.header.type === ET.DYN ? placeBelowMmapBase(space, elf, layout, PAGE_SIZE) : 0;
  loadElf(space, elf, file.mappable, bias);
  return { path: file.realPath, elf, bias };
}

function programBias(elf: ElfFile, layout: MemoryLayout): number {
  const align = imageAlignment(elf);
  const base = layout.programBase - (layout.programBase % align);
  return pageFloor(base - (elf.loads[0] as Segment).address);
}

/** Where mmap would put the file. An alignment beyond a page is had by asking for that much more, as Linux does. */
function placeBelowMmapBase(space: AddressSpace, elf: ElfFile, layout: MemoryLayout, align: number): number {
  const { start, end } = imageBounds(elf);
  const extra = align > PAGE_SIZE ? align : 0;
  const found = space.findFree(end - start + extra, { topDownFrom: layout.mmapBase });
  if (found === null) throw new ElfError(elf.path, 'cannot execute: not enough guest memory');
  return (extra > 0 ? Math.ceil(found / align) * align : found) - start;
}

/** The kernel's data pages and the vDSO behind them. Nothing reads the data pages: our vDSO makes system calls. */
function mapVdso(space: AddressSpace, layout: MemoryLayout, pages: readonly [number, number, number]): GuestAddr {
  const total = (pages[0] + pages[1] + pages[2]) * PAGE_SIZE;
  const found = space.findFree(total, { topDownFrom: layout.mmapBase });
  if (found === null || pages[2] === 0) return guestAddr(0);
  let start: number = found;
  const add = (name: string, count: number, prot: number): void => {
    const end = guestAddr(start + count * PAGE_SIZE);
    if (count > 0) space.map(anonymousMapping({ start: guestAddr(start), end, prot, name }));
    start = end;
  };
  add('[vvar]', pages[0], PROT.READ);
  add('[vvar_vclock]', pages[1], PROT.READ);
  const base = guestAddr(start);
  add('[vdso]', pages[2], PROT.READ | PROT.EXEC);
  space.poke(base, buildVdso());
  return base;
}

interface ImageParts {
  readonly opened: OpenedProgram;
  readonly program: LoadedFile;
  readonly interpreter: LoadedFile | undefined;
  readonly vdsoBase: GuestAddr;
  readonly layout: MemoryLayout;
}

function buildStack(space: AddressSpace, request: LoadRequest, parts: ImageParts): InitialStack {
  const { program, interpreter } = parts;
  return buildInitialStack(space, parts.layout, {
    fileName: bytesOf(request.path),
    argv: parts.opened.argv,
    envp: request.envp,
    random16: request.random16,
    executable: program.elf.executableStack,
    auxv: (strings) => auxvEntries({
      ...strings,
      vdso: parts.vdsoBase,
      minSignalStack: request.minSignalStack ?? MIN_SIGNAL_STACK,
      hwcap: request.hwcap,
      hwcap2: request.hwcap2 ?? 0,
      programHeaders: programHeaderAddress(program),
      programHeaderCount: program.elf.header.programHeaderCount,
      interpreterBase: interpreter?.bias ?? 0,
      entry: program.elf.header.entry + program.bias,
      uid: request.uid, euid: request.euid, gid: request.gid, egid: request.egid,
    }),
  });
}

/** In memory, if a segment has them. */
function programHeaderAddress(program: LoadedFile): number {
  const offset = program.elf.header.programHeaderOffset;
  const segment = program.elf.loads.find((s) => s.offset <= offset && offset < s.offset + s.fileSize);
  return segment === undefined ? 0 : offset - segment.offset + segment.address + program.bias;
}

/**
 * After the program; but a position-independent one without interpreter lies among the mappings, and gets the usual
 * place.
 */
function heapStart(program: LoadedFile, layout: MemoryLayout, hasInterpreter: boolean): number {
  const isLoader = program.elf.header.type === ET.DYN && !hasInterpreter;
  const end = isLoader ? pageCeil(layout.programBase) : imageBounds(program.elf).end + program.bias;
  return Math.min(end + layout.heapShift, USER_SPACE_END);
}

function resetRegisters(cpu: Cpu, entry: GuestAddr, stackPointer: number): void {
  // Everything up to the engine's own slots: general registers, lazy flags, segment bases, x87, SSE.
  cpu.bytes().fill(0, 0, TICKS.offset);
  cpu.setI32(OTHER_FLAGS, FLAG.IF);
  cpu.setMxcsr(MXCSR_RESET);
  cpu.setI32(FPU_CONTROL, FPU_CONTROL_RESET);
  cpu.setNum(RSP, stackPointer);
  cpu.rip = entry;
}
