/** Programs that are checked in this process: nothing of a command line takes part. */
import {
  bytePathFromText, type CheckedProgram, checkProgram, type CheckSettings, chosenRules, type Host, NODE_FILES, NodeHost, type Report, type RuleChoice, shippedRules,
} from '../../src/index.js';
import type { HostFiles } from '../../src/host/host.js';
import { compiled } from '../checkCli/checked.js';

const SHIPPED = shippedRules();

/** Debug information of libraries is not on every machine, and takes long to read. */
const NEAR_FILES = { ...NODE_FILES, read: (path: string) => (path.startsWith('/usr/lib/debug') ? undefined : NODE_FILES.read(path)) };

/**
 * Without those about arguments of libc. Rules know the time of the run that they are asked in: every check has its
 * own.
 */
export function rules(choice: RuleChoice = {}): CheckSettings['chosen'] {
  return chosenRules(SHIPPED, { disable: ['libc.*'], ...choice });
}

export interface CheckedInMemory extends CheckedProgram {
  /** What the program has written. */
  readonly output: string;
}

export async function checked(name: string, settings: Partial<CheckSettings> = {}): Promise<CheckedInMemory> {
  const written: Uint8Array[] = [];
  const host = listened(new NodeHost(), (bytes) => written.push(bytes.slice()));
  const environment = ['PATH=/usr/bin:/bin', 'LC_ALL=C.UTF-8'].map(bytePathFromText);
  const run = await checkProgram(host, { program: bytePathFromText(compiled(name)), args: [], environment }, { chosen: rules(), files: NEAR_FILES, ...settings });
  return { ...run, output: Buffer.concat(written).toString() };
}

/** A host on which what the program writes to stdout and stderr comes to us, and nowhere else. */
function listened(host: NodeHost, onOutput: (bytes: Uint8Array) => void): Host {
  const files = Object.assign(Object.create(host.files) as HostFiles, {
    write(fd: never, bytes: Uint8Array, position?: number): number {
      if (fd !== 1 && fd !== 2) return host.files.write(fd, bytes, position);
      onOutput(bytes);
      return bytes.length;
    },
  });
  return Object.assign(Object.create(host) as Host, { files });
}

/** `rule function:line`, of the user's innermost frame. */
export function placeOf({ rule, stack, block }: Report): string {
  const frame = [...stack, ...(block?.allocated.stack ?? [])].find(({ isUsers }) => isUsers);
  return `${rule} ${frame?.function}:${frame?.line}`;
}
