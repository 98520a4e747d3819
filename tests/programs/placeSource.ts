/**
 * Writes a source whose path says what is in it, once. Several processes of tests may want the same program at the same
 * time: a compiler or a debugger of one of them must never read the file while another is writing it again.
 */
import { existsSync, renameSync, writeFileSync } from 'node:fs';

export function placeSource(path: string, text: string): void {
  if (existsSync(path)) return;
  const made = `${path}.${process.pid}`;
  writeFileSync(made, text);
  renameSync(made, path);
}
