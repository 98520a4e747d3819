/** `culprit dump`: what happened in a recording, line by line as it is read. */
import { jsonText, visible } from '../../base/visible.js';
import { UserError } from '../../base/errors.js';
import { USER_SPACE_END } from '../../base/types.js';
import { eventJson } from '../../replay/describe/eventJson.js';
import { EventLines, type Line, type Scene } from '../../replay/describe/eventLines.js';
import type { RecordedEvent } from '../../replay/log/events.js';
import { Divergence } from '../../replay/play/divergence.js';
import type { Player } from '../../replay/play/player.js';
import { StoredNames } from '../../replay/play/storedNames.js';
import type { Recording } from '../../replay/recordingFile/openRecording.js';
import { count } from '../output/numbers.js';
import { EXIT_INCOMPLETE } from '../opening/lost.js';
import { checkTime, openedAsItIs, playerOf, whyIncomplete } from '../opening/openedRecording.js';
import { LineWriter, untilReaderGone } from '../output/output.js';
import { Progress } from '../output/progress.js';
import { complain } from '../output/report.js';
import { setPatience } from '../v8/tiering.js';

export interface DumpOptions {
  readonly json?: boolean;
  readonly from?: number;
  readonly to?: number;
  readonly replay?: boolean;
}

export function dumpCommand(path: string, options: DumpOptions): number {
  const recording = openedAsItIs(path);
  for (const time of [options.from, options.to]) if (time !== undefined) checkTime(recording, time);
  return untilReaderGone(() => new Dump(path, recording, options).run());
}

class Dump {
  private readonly out = new LineWriter();
  private readonly lines = new EventLines();
  private readonly progress: Progress;
  private readonly from: number;
  private readonly to: number;
  private lastTime = 0;

  constructor(
    private readonly path: string,
    private readonly recording: Recording,
    private readonly options: DumpOptions,
  ) {
    this.from = options.from ?? 0;
    this.to = options.to ?? Infinity;
    this.progress = new Progress('reading', !process.stdout.isTTY);
  }

  run(): number {
    const failure = this.listAll();
    this.out.flush();
    this.progress.clear();
    const { isComplete } = this.recording;
    if (failure === undefined && (isComplete || this.to !== Infinity)) return 0;
    complain(`culprit: ${failure?.message ?? whyIncomplete(this.recording, this.path)}; listed up to time ${count(this.lastTime)}`);
    return failure?.exitCode === new Divergence(0, '').exitCode ? failure.exitCode : EXIT_INCOMPLETE;
  }

  /** Undefined: everything. Otherwise what is wrong with the recording. */
  private listAll(): UserError | undefined {
    try {
      if (this.options.replay === true) this.listPlayed();
      else this.listLogged();
      return undefined;
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return error;
    }
  }

  private listLogged(): void {
    const cursor = this.recording.log.cursor();
    for (let event = cursor.next(); event !== undefined && event.time <= this.to; event = cursor.next()) this.list(event, undefined);
  }

  private listPlayed(): void {
    setPatience('interpreter');
    const player = playerOf(this.recording);
    setPatience('guest code');
    const scene = sceneOf(player);
    player.onEvent = (event) => this.list(event, scene);
    player.advance(this.to);
  }

  private list(event: RecordedEvent, scene: Scene | undefined): void {
    const lines = this.lines.describe(event, event.time >= this.from ? scene : undefined);
    this.lastTime = event.time;
    this.progress.report(event.time / Math.min(this.to, this.recording.log.endTime));
    if (event.time < this.from) return;
    if (this.options.json === true) this.out.line(jsonText(eventJson(event, this.lines.threadOf(event.task), lines.map(({ text }) => text))));
    else for (const line of lines) this.out.line(lineText(line));
  }
}

function lineText({ time, thread, text }: Line): string {
  return `${String(time).padStart(12)} ${(thread === 0 ? '' : String(thread)).padStart(6)}  ${visible(text)}`;
}

/** What can be seen where the player stands. */
function sceneOf(player: Player): Scene {
  const names = new StoredNames();
  return {
    memory(address, length) {
      if (!(address + length <= USER_SPACE_END)) return undefined;
      return player.space?.machine.space.peek(address, length) ?? undefined;
    },
    place(address) {
      const space = player.space?.machine.space;
      return space === undefined || address >= USER_SPACE_END ? `0x${address.toString(16)}` : names.describe(space, address);
    },
  };
}
