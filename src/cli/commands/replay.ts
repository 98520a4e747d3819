/**
 * `culprit replay`: runs a recording again. Nothing of this machine is touched but the recording and
 * our own output.
 */
import { visible } from '../../base/visible.js';
import { UserError } from '../../base/errors.js';
import type { Note } from '../../replay/log/effects.js';
import { Divergence } from '../../replay/play/divergence.js';
import type { Player } from '../../replay/play/player.js';
import { StoredNames } from '../../replay/play/storedNames.js';
import type { Recording } from '../../replay/recordingFile/openRecording.js';
import { shellStatus } from '../running/exitStatus.js';
import { count } from '../output/numbers.js';
import { EXIT_INCOMPLETE } from '../opening/lost.js';
import { checkTime, openedAsItIs, playerOf, whyIncomplete } from '../opening/openedRecording.js';
import { untilReaderGone, writeFully } from '../output/output.js';
import { Progress } from '../output/progress.js';
import { complain } from '../output/report.js';
import { setPatience } from '../v8/tiering.js';

export interface ReplayOptions {
  readonly to?: number;
  readonly quiet?: boolean;
  readonly stats?: boolean;
}

/** How often we look whether there is something to say. */
const SLICE = 20_000_000;
const STDOUT = 1;
const STDERR = 2;
/** What `run` exits with where we ended the program. */
const EXIT_TIMEOUT = 124;

export function replayCommand(path: string, options: ReplayOptions): number {
  const recording = openedAsItIs(path);
  if (options.to !== undefined) checkTime(recording, options.to);
  return untilReaderGone(() => new Replay(path, recording, options).run());
}

class Replay {
  private readonly player: Player;
  private readonly threads = new Map<number, string>();
  private readonly progress: Progress;

  constructor(
    private readonly path: string,
    private readonly recording: Recording,
    private readonly options: ReplayOptions,
  ) {
    setPatience('interpreter');
    this.player = playerOf(recording);
    this.player.onNote = (note) => this.noted(note);
    this.progress = new Progress('replaying', options.quiet === true || !process.stdout.isTTY);
  }

  run(): number {
    const began = performance.now();
    setPatience('guest code');
    const failure = this.play(this.options.to ?? this.recording.log.endTime);
    this.progress.clear();
    if (this.options.stats === true) this.sayStats(performance.now() - began);
    if (failure !== undefined) return this.incomplete(failure.message);
    if (this.options.to !== undefined) return this.sayWhere();
    const { summary, isComplete } = this.recording;
    if (summary === undefined || !isComplete) return this.incomplete(whyIncomplete(this.recording, this.path));
    return endStatus(summary.ending);
  }

  /** Undefined: there. Otherwise what is wrong with the recording. */
  private play(end: number): UserError | undefined {
    try {
      let at = 0;
      do {
        at = Math.min(end, at + SLICE);
        this.player.advance(at);
        this.progress.report(at / end);
      } while (at < end);
      return undefined;
    } catch (error) {
      if (error instanceof UserError && !(error instanceof Divergence)) return error;
      this.progress.clear();
      throw error;
    }
  }

  private noted(note: Note): void {
    if (note.op === 'task') this.threads.set(note.task, `thread ${note.tid} (${visible(note.name)})${note.tid === note.pid ? '' : ` of process ${note.pid}`}`);
    else if (note.op === 'output' && this.options.quiet !== true && note.fd <= STDERR) writeFully(note.fd === STDERR ? STDERR : STDOUT, note.bytes);
  }

  private incomplete(reason: string): number {
    complain(`culprit: ${reason}; replayed up to time ${count(this.player.time)}, what came after is lost`);
    return EXIT_INCOMPLETE;
  }

  private sayWhere(): number {
    const { task, space, time } = this.player;
    if (task === undefined || space === undefined) return 0;
    space.load(task);
    const { machine } = space;
    const where = new StoredNames().describe(machine.space, machine.cpu.rip);
    complain(`culprit: time ${count(time)} of ${count(this.recording.log.endTime)}: ${this.threads.get(task.id) ?? 'a thread'} at ${where}`);
    return 0;
  }

  private sayStats(milliseconds: number): void {
    const { time } = this.player;
    complain(`culprit: instructions  ${count(time)} (${(time / milliseconds / 1000).toFixed(1)} million a second)`);
    complain(`culprit: run time      ${(milliseconds / 1000).toFixed(3)} s`);
  }
}

function endStatus(ending: NonNullable<Recording['summary']>['ending']): number {
  switch (ending.how) {
    case 'exited':
      return shellStatus({ kind: 'exited', code: ending.code });
    case 'signaled':
      return shellStatus({ kind: 'signaled', signal: ending.signal });
    default:
      complain(`culprit: the recorded run was ended ${ending.how === 'timeout' ? 'by --timeout' : 'because all its threads waited for each other'}`);
      return EXIT_TIMEOUT;
  }
}
