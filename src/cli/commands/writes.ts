/** `culprit writes`: who wrote to a variable, the last time or every time. */
import { jsonText, visible } from '../../base/visible.js';
import { guestAddr, hex } from '../../base/types.js';
import { sameByte } from '../../machine/views.js';
import { at } from '../../replay/log/position.js';
import { StoredModules } from '../../replay/play/storedModules.js';
import { StoredNames } from '../../replay/play/storedNames.js';
import type { Hit, MemoryRange } from '../../replay/timeline/conditions.js';
import type { Timeline } from '../../replay/timeline/timeline.js';
import { decodeOne } from '../../x86/translate.js';
import type { CheckpointMemoryOptions } from '../arguments/checkpointMemory.js';
import { memoryPlace } from '../arguments/memoryPlace.js';
import { count } from '../output/numbers.js';
import { EXIT_INCOMPLETE, tellLoss } from '../opening/lost.js';
import { checkTime, openedRecording, timelineOf } from '../opening/openedRecording.js';
import { ReaderGone, writeFully } from '../output/output.js';
import { Progress } from '../output/progress.js';
import { setPatience } from '../v8/tiering.js';

export interface WritesOptions extends CheckpointMemoryOptions {
  readonly before?: number;
  readonly all?: boolean;
  readonly json?: boolean;
}

const LONGEST_INSTRUCTION = 15;
/** Values up to this size are shown as numbers. */
const LARGEST_NUMBER = 8;
const STDOUT = 1;

export async function writesCommand(path: string, what: string, options: WritesOptions): Promise<number> {
  const recording = openedRecording(path);
  if (options.before !== undefined) checkTime(recording, options.before);
  tellLoss(recording);
  setPatience('guest code');
  const timeline = timelineOf(recording, { checkpointMemory: options.checkpointMemory });
  const progress = new Progress('searching', options.json !== true);
  try {
    const status = await new Writes(timeline, progress, options).report(what, options.before ?? recording.log.endTime);
    return recording.lost === undefined ? status : EXIT_INCOMPLETE;
  } catch (error) {
    if (error instanceof ReaderGone) return 0;
    throw error;
  }
}

class Writes {
  private readonly modules = new StoredModules();
  private readonly names = new StoredNames();

  constructor(
    private readonly timeline: Timeline,
    private readonly progress: Progress,
    private readonly options: WritesOptions,
  ) {}

  async report(what: string, before: number): Promise<number> {
    const { timeline } = this;
    const work = { progress: (done: number, total: number) => this.progress.report(done / total) };
    await timeline.seek(at(before), work);
    if (before === timeline.endTime) await timeline.seekEnd(work);
    const range = memoryPlace(what, this.modules, timeline.player.space?.machine.space);
    const hits = this.options.all === true
      ? await timeline.all([{ kind: 'memory', access: 'write', ranges: [range] }], at(0), at(before), work)
      : [await timeline.lastWrite([range], at(before), work)].filter((hit) => hit !== undefined);
    for (const hit of hits) await this.show(hit, range);
    this.progress.clear();
    if (hits.length === 0) process.stderr.write(`culprit: nobody wrote to ${what} before time ${count(before)}\n`);
    return hits.length === 0 ? 1 : 0;
  }

  private async show(hit: Hit, range: MemoryRange): Promise<void> {
    const { timeline, options } = this;
    await timeline.seek(hit.position);
    const space = timeline.player.space?.machine.space;
    if (space === undefined) return;
    const rip = timeline.player.space?.machine.cpu.rip ?? guestAddr(hit.rip);
    const place = this.names.describe(space, rip);
    const bytes = space.peek(rip, LONGEST_INSTRUCTION) ?? space.peek(rip, 1);
    const instruction = bytes === null ? '' : decodeOne(bytes, rip).text;
    const known = timeline.player.world.threads.get(hit.task);
    const thread = known === undefined ? 'a thread' : `thread ${known.tid} (${visible(known.name)})`;
    // A block may have had another address then.
    const [seen, length] = [sameByte(range.start, hit.access?.address ?? range.start), range.end - range.start];
    const old = valueOf(space.peek(seen, length));
    const target = this.modules.nameOf(space, range.start) ?? hex(range.start);
    await timeline.seek(at(hit.position.time + 1));
    const now = valueOf(timeline.player.space?.machine.space.peek(seen, length) ?? null);
    const by = hit.access?.by ?? 'program';
    const { time } = hit.position;
    this.progress.clear();
    if (options.json === true) say(jsonText({ time, thread, at: hex(rip), place, instruction, by, target, before: old, after: now }));
    else say(`time ${count(time)}: ${thread} at ${place}: ${instruction}${by === 'kernel' ? ' (written by the kernel)' : ''}\n  ${target}: ${old} -> ${now}`);
  }
}

function say(line: string): void {
  writeFully(STDOUT, new TextEncoder().encode(`${line}\n`));
}

function valueOf(bytes: Uint8Array | null): string {
  if (bytes === null) return 'nothing';
  if (bytes.length > LARGEST_NUMBER) return Array.from(bytes.subarray(0, 32), (byte) => byte.toString(16).padStart(2, '0')).join(' ');
  const value = bytes.reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n);
  const signed = BigInt.asIntN(bytes.length * 8, value);
  return signed === value ? `${value}` : `${signed} (0x${value.toString(16)})`;
}
