/** Options of a command whose times are told as instances (FILE:LINE#N): the numbers that they are in a recording. */
import { Modules } from '../../debugger/program/modules.js';
import { SourceText } from '../../debugger/program/sourceText.js';
import { NamedInstances } from '../../debugger/control/namedInstances.js';
import { type InstanceTime, isInstanceTime } from '../arguments/parseTime.js';
import { Progress } from '../output/progress.js';
import { setPatience } from '../v8/tiering.js';
import { NODE_FILES } from './nodeFiles.js';
import { openedRecording, timelineOf } from './openedRecording.js';

/** Options as the command line has them: each time may be an instance. */
export type WithInstances<T> = { readonly [K in keyof T]: T[K] | (number extends T[K] ? InstanceTime : never) };

/** Throws a UserError if it never happened. */
export async function numbersOf<T extends object>(path: string, options: WithInstances<T>): Promise<T> {
  const recording = openedRecording(path);
  setPatience('guest code');
  const timeline = timelineOf(recording);
  const named = new NamedInstances(new Modules(NODE_FILES), new SourceText(NODE_FILES));
  const progress = new Progress('counting', false);
  const work = { progress: (done: number, total: number) => progress.report(done / total) };
  await timeline.seekEnd();
  const before = timeline.position;
  const entries: [string, unknown][] = [];
  for (const [name, value] of Object.entries(options)) {
    const isOne = isInstanceTime(value);
    entries.push([name, isOne ? (await named.reached(value.instance, named.runOf(timeline, timeline), { before, work })).time : value]);
  }
  progress.clear();
  return Object.fromEntries(entries) as T;
}
