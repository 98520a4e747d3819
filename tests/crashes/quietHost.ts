/** A host for guests inside the test runner: this machine, but nothing is random, and the standard streams are ours. */
import { type BytePath, bytePath } from '../../src/base/bytePath.js';
import type { Host, HostClock, HostFd, HostFiles } from '../../src/host/host.js';
import { NodeHost } from '../../src/host/nodeHost.js';

const STDOUT = 1;
const STDERR = 2;

/** A guest did not end in the time that it was given. */
export class TimeIsUp extends Error {}

type Changeable<T> = { -readonly [K in keyof T]: T[K] };

export class QuietHost implements Host {
  private readonly machine = new NodeHost();
  private readonly deadline: number;
  readonly files = this.quietFiles(this.machine.files);
  readonly clock = this.limitedClock(this.machine.clock);
  readonly terminal = this.machine.terminal;
  readonly identity = this.machine.identity;
  readonly system = this.machine.system;
  readonly signals = this.machine.signals;
  readonly network = this.machine.network;
  stdout = '';
  stderr = '';

  constructor(
    private readonly randomByte: number,
    private readonly variables: Readonly<Record<string, string>>,
    limitMilliseconds = Infinity,
  ) {
    this.deadline = performance.now() + limitMilliseconds;
  }

  random(target: Uint8Array): void {
    target.fill(this.randomByte);
  }

  environment(): readonly BytePath[] {
    return Object.entries(this.variables).map(([name, value]) => bytePath(`${name}=${value}`));
  }

  notify(line: string): void {
    this.stderr += `${line}\n`;
  }

  private limitedClock(clock: HostClock): HostClock {
    const changed = Object.create(clock) as Changeable<HostClock>;
    // The kernel lets the event loop have its turn every so often: the moment to give up.
    changed.yield = async () => {
      if (performance.now() > this.deadline) throw new TimeIsUp();
      await clock.yield();
    };
    return changed;
  }

  private quietFiles(files: HostFiles): HostFiles {
    const standard: readonly number[] = [0, STDOUT, STDERR];
    const changed = Object.create(files) as Changeable<HostFiles>;
    // Not the test runner's own descriptors: the guest would close them when it ends.
    changed.inherited = () => standard as HostFd[];
    changed.read = (fd, target, position) => (standard.includes(fd) ? 0 : files.read(fd, target, position));
    changed.write = (fd, bytes, position) => {
      if (!standard.includes(fd)) return files.write(fd, bytes, position);
      const text = Buffer.from(bytes).toString('latin1');
      if (fd === STDERR) this.stderr += text;
      else this.stdout += text;
      return bytes.length;
    };
    return changed;
  }
}
