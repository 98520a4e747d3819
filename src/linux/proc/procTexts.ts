/** The text files of /proc/self, by name. */
import { PAGE_SIZE } from '../../base/types.js';
import { bytesOfBytePath } from '../../host/bytePath.js';
import type { Process } from '../process.js';
import { mapsText, smapsText } from './procMaps.js';
import { limitsText, statText, statusText } from './procStatus.js';

interface ProcText {
  readonly mode: number;
  make(process: Process): Uint8Array;
}

function withNuls(strings: readonly string[]): Uint8Array {
  return bytesOfBytePath(strings.map((s) => `${s}\0`).join(''));
}

function statm(process: Process): string {
  const { space } = process;
  const size = space.mappedBytes / PAGE_SIZE;
  const resident = space.residentBytes / PAGE_SIZE;
  return `${size} ${resident} ${Math.min(resident, 1)} 1 0 ${resident} 0\n`;
}

export const PROC_TEXTS: Readonly<Record<string, ProcText>> = {
  maps: { mode: 0o444, make: (p) => mapsText(p.space, p.memory) },
  smaps: { mode: 0o444, make: (p) => smapsText(p.space) },
  cmdline: { mode: 0o444, make: (p) => withNuls(p.exitStatus === undefined ? p.argv : []) },
  environ: { mode: 0o400, make: (p) => withNuls(p.environment) },
  auxv: { mode: 0o400, make: (p) => p.auxv },
  comm: { mode: 0o644, make: (p) => bytesOfBytePath(`${p.name}\n`) },
  limits: { mode: 0o444, make: (p) => bytesOfBytePath(limitsText(p.limits)) },
  status: { mode: 0o444, make: (p) => bytesOfBytePath(statusText(p)) },
  stat: { mode: 0o444, make: (p) => bytesOfBytePath(statText(p)) },
  statm: { mode: 0o444, make: (p) => bytesOfBytePath(statm(p)) },
};
