/** What must be as before when a branch has come and gone: the host's files, and the recorded execution. */
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { at } from '../../src/replay/log/position.js';
import type { Timeline } from '../../src/replay/timeline/timeline.js';
import { hashPlayer } from './recorded.js';

/** Everything that can be seen of a folder. */
export function inventory(folder: string): string[] {
  return readdirSync(folder, { recursive: true }).map(String).sort().map((name) => {
    const path = join(folder, name);
    const stat = lstatSync(path);
    const { mtimeMs, ctimeMs, size, ino } = stat;
    return `${name} ${ino} ${size} ${mtimeMs} ${ctimeMs} ${stat.isFile() ? readFileSync(path, 'latin1') : ''}`;
  });
}

/** The state at some times, in no order. */
export async function hashesOf({ timeline, instructions }: { readonly timeline: Timeline; readonly instructions: number }): Promise<string[]> {
  const hashes: string[] = [];
  for (const part of [0.9, 0.05, 0.5, 0.75, 0.3, 0.99, 0.6]) {
    await timeline.seek(at(Math.floor(instructions * part)));
    hashes.push(hashPlayer(timeline.player));
  }
  return hashes;
}
