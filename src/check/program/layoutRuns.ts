/**
 * A recorded program, run again with its variables laid out anew: what was corrupted without consequences may crash
 * there. Planning is one thing (`layoutsFor`), running another (`runLayout`): runs know nothing of each other.
 */
import { UserError } from '../../base/errors.js';
import { Debugger } from '../../debugger/control/debugger.js';
import { type DebugFiles, NO_FILES } from '../../debugger/program/debugFiles.js';
import { ValueEvaluator } from '../../debugger/values/valueEvaluator.js';
import { ElfFile } from '../../elf/elfFile.js';
import type { Host } from '../../host/host.js';
import type { ExitStatus, Process } from '../../linux/process.js';
import type { EngineOptions } from '../../machine/engineOptions.js';
import { type RecordedProgram, runAgain } from '../../replay/again/secondRun.js';
import { TimelineBranches } from '../../replay/branch/timelineBranches.js';
import { Timeline } from '../../replay/timeline/timeline.js';
import type { Work } from '../../replay/timeline/work.js';
import type { PlacedThing } from '../layouts/applyLayout.js';
import type { Layout, Unmovable } from '../layouts/layout.js';
import { type BrokenPattern, type LayoutCrash, LayoutInterceptor } from '../layouts/layoutInterceptor.js';
import { type Movables, movablesOf } from '../layouts/movables.js';
import { planLayouts } from '../layouts/planLayouts.js';
import { ProgramSources } from '../variables/programSources.js';

export interface LayoutSettings {
  /** Whose files the program sees where the recording has none. */
  readonly host: Host;
  readonly files?: DebugFiles;
  readonly mostInstructions?: number;
  readonly engine?: Partial<EngineOptions>;
  readonly work?: Work;
}

export interface ProgramLayouts {
  /** Those that expose most come first. */
  readonly layouts: readonly Layout[];
  /** What stays where it is, and why. */
  readonly unmovable: readonly Unmovable[];
  readonly remarks: readonly string[];
  /** For `runLayout`. */
  readonly movables: Movables;
  readonly program: string;
}

export interface LaidOutRun {
  /** How the first process ended; undefined if it was ended, which `remarks` say. */
  readonly status: ExitStatus | undefined;
  /** Processes that ended by a signal, in order. */
  readonly crashes: readonly LayoutCrash[];
  /** Patterns behind variables that were written over. */
  readonly broken: readonly BrokenPattern[];
  /** Where globals were in this run: debug information says otherwise. */
  readonly globals: readonly PlacedThing[];
  readonly remarks: readonly string[];
  readonly output: readonly { readonly fd: number; readonly bytes: Uint8Array }[];
  readonly instructions: number;
  /** A debugger on the run, with branches. Each call opens another. */
  open(work?: Work): Promise<Debugger>;
}

const INSTRUCTIONS = { FACTOR: 3, MORE: 20_000_000 } as const;

/** Throws a UserError if the recording has no program. */
export function layoutsFor(recorded: RecordedProgram, { files = NO_FILES }: Pick<LayoutSettings, 'files'> = {}): ProgramLayouts {
  const elf = programOf(recorded);
  const movables = movablesOf(elf, new ProgramSources(files).of(elf.path));
  const { layouts, remarks } = planLayouts(movables);
  return { layouts, remarks, unmovable: movables.unmovable, movables, program: elf.path };
}

export async function runLayout(recorded: RecordedProgram, { movables, program }: Pick<ProgramLayouts, 'movables' | 'program'>, layout: Layout, settings: LayoutSettings): Promise<LaidOutRun> {
  const { host, files = NO_FILES, work } = settings;
  const elf = programOf(recorded);
  const interceptor = new LayoutInterceptor(layout, movables, { path: program, biasIn: (process) => biasOf(elf, process) });
  const { status, recording, output, instructions, remarks } = await runAgain(recorded, host, {
    interceptor, work, onEnd: (process) => interceptor.ended(process),
    mostInstructions: settings.mostInstructions ?? recorded.log.endTime * INSTRUCTIONS.FACTOR + INSTRUCTIONS.MORE,
    ...(settings.engine === undefined ? {} : { engine: settings.engine }),
  });
  const { crashes, broken, applied } = interceptor;
  const open = async (meanwhile?: Work): Promise<Debugger> => {
    const timeline = new Timeline(recording);
    return Debugger.open(timeline, { files, evaluator: new ValueEvaluator(), branches: new TimelineBranches(timeline, recording, host) }, meanwhile);
  };
  return { status, crashes, broken, globals: applied.globals, remarks: [...applied.remarks, ...remarks], output, instructions, open };
}

function programOf({ log, blobs }: RecordedProgram): ElfFile {
  const first = log.cursor().next();
  const effects = [...(first?.known ?? []), ...(first?.effects ?? [])];
  const program = effects.find((effect) => effect.op === 'program');
  const object = effects.find((effect) => effect.op === 'object' && effect.path === (program?.op === 'program' ? program.exe : undefined));
  if (object?.op !== 'object' || object.blob === 0) throw new UserError('the recording does not have its program');
  const bytes = new Uint8Array(object.size);
  blobs.read(object.blob, 0, bytes);
  return new ElfFile(object.path, bytes);
}

function biasOf({ path, loads }: ElfFile, { space }: Process): number | undefined {
  const mapping = [...space.mappings()].find(({ name, file }) => file !== undefined && name === path);
  const segment = mapping === undefined ? undefined : loads.find(({ offset, fileSize }) => mapping.fileOffset < offset + fileSize && offset < mapping.fileOffset + (mapping.end - mapping.start));
  return mapping === undefined || segment === undefined ? undefined : mapping.start - mapping.fileOffset - (segment.address - segment.offset);
}
