/** The program at any time, as debuggers see it: modules, frames, expressions. Goes there by itself. */
import { UserError } from '../../base/errors.js';
import { Backtrace } from '../../debugger/program/backtrace.js';
import type { DebugFiles } from '../../debugger/program/debugFiles.js';
import { Modules } from '../../debugger/program/modules.js';
import { ProgramView } from '../../debugger/program/programView.js';
import { SourceText } from '../../debugger/program/sourceText.js';
import type { VisibleFrame } from '../../debugger/program/visibleFrame.js';
import { Expressions } from '../../debugger/values/expressions.js';
import { ProgramSurroundings } from '../../debugger/values/programSurroundings.js';
import type { Position } from '../../replay/log/position.js';
import type { Thread } from '../../replay/timeline/state.js';
import type { Playing } from './playing.js';

/** A moment in a thread. */
export interface Moment {
  readonly position: Position;
  /** As hits name it; undefined: the thread that runs then. */
  readonly task: number | undefined;
}

/** What is there at a moment: good until the script asks for another one. */
export interface View {
  readonly thread: Thread;
  readonly program: ProgramView;
  readonly backtrace: Backtrace;
  /** Of a frame by its level. */
  expressions(level: number): Expressions;
}

export class Scene {
  readonly modules: Modules;
  readonly sources: SourceText;
  /** Addresses of instructions that were looked at and are not atomic by themselves. */
  readonly notAtomic = new Set<number>();
  private last: { readonly generation: number; readonly task: number | undefined; readonly view: View } | undefined;

  constructor(
    readonly playing: Playing,
    files: DebugFiles,
    /** The number in the system of a thread that hits name, if the recording says so without being replayed. */
    readonly tidOf: (task: number) => number | undefined = () => undefined,
  ) {
    this.modules = new Modules(files);
    this.sources = new SourceText(files);
  }

  /** Throws a UserError if there is no such thread then. */
  at({ position, task }: Moment): View {
    this.playing.looks++;
    this.playing.standAt(position);
    const { generation, state } = this.playing;
    if (this.last?.generation === generation && this.last.task === task) return this.last.view;
    const thread = task === undefined ? (state.current ?? state.threads[0]) : state.threads.find(({ id }) => id === task);
    if (thread === undefined) throw new UserError(`no program at time ${position.time}: it has ended`);
    const view = this.viewOf(thread);
    this.last = { generation, task, view };
    return view;
  }

  private viewOf(thread: Thread): View {
    const program = new ProgramView(this.playing.state, thread, this.modules);
    const backtrace = new Backtrace(program);
    const made = new Map<number, Expressions>();
    const expressions = (level: number): Expressions => {
      const known = made.get(level);
      if (known !== undefined) return known;
      const fresh = new Expressions(new ProgramSurroundings(program, frameAt(backtrace, level)));
      made.set(level, fresh);
      return fresh;
    };
    return { thread, program, backtrace, expressions };
  }
}

function frameAt(backtrace: Backtrace, level: number): VisibleFrame | undefined {
  const frame = backtrace.frame(level);
  if (frame === undefined && level > 0) throw new UserError(`No frame at level ${level}.`);
  return frame;
}
