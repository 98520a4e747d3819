/** Lets a program crash in the engine. */
import { type BytePath, bytePath } from '../../src/host/bytePath.js';
import type { Host, HostFd, HostFiles } from '../../src/host/host.js';
import { NodeHost } from '../../src/host/nodeHost.js';
import { FS_BASE, GPR, RIP } from '../../src/layout/cpuState.js';
import { createGuest } from '../../src/linux/guest.js';
import { readEflags } from '../../src/linux/signals/eflags.js';
import { infoAddress } from '../../src/linux/signals/siginfo.js';
import type { Cpu } from '../../src/machine/cpu.js';
import type { EngineOptions } from '../../src/machine/engine.js';
import { type Crash, ENVIRONMENT, RANDOM_BYTE, shownFlags, withoutPid } from './crash.js';
import { hasAddress } from './nativeCrash.js';

const STDERR = 2;

/** This machine, but nothing is random, and what goes to the standard streams is kept. */
class QuietHost implements Host {
  private readonly machine = new NodeHost();
  readonly files = this.quietFiles(this.machine.files);
  readonly clock = this.machine.clock;
  readonly terminal = this.machine.terminal;
  readonly identity = this.machine.identity;
  readonly system = this.machine.system;
  readonly signals = this.machine.signals;
  message = '';

  random(target: Uint8Array): void {
    target.fill(RANDOM_BYTE);
  }

  environment(): readonly BytePath[] {
    return Object.entries(ENVIRONMENT).map(([name, value]) => bytePath(`${name}=${value}`));
  }

  notify(line: string): void {
    this.message += `${line}\n`;
  }

  private quietFiles(files: HostFiles): HostFiles {
    const standard: readonly number[] = [0, 1, STDERR];
    const changed = Object.create(files) as { -readonly [K in keyof HostFiles]: HostFiles[K] };
    // Not the test runner's own descriptors: the guest would close them when it ends.
    changed.inherited = () => standard as HostFd[];
    changed.write = (fd, bytes, position) => {
      if (!standard.includes(fd)) return files.write(fd, bytes, position);
      if (fd === STDERR) this.message += Buffer.from(bytes).toString('latin1');
      return bytes.length;
    };
    return changed;
  }
}

export async function crashInGuest(program: string, engine: Partial<EngineOptions>): Promise<Crash> {
  const host = new QuietHost();
  const guest = createGuest(host, { program: bytePath(program), args: [], environment: host.environment(), engine });
  const status = await guest.kernel.run();
  if (status.kind !== 'signaled' || status.info === undefined) throw new Error(`the guest did not crash: ${JSON.stringify(status)}\n${host.message}`);
  const { signal, info } = status;
  return {
    signal,
    code: info.code,
    address: hasAddress(info.code) ? infoAddress(info).toString(16) : '0',
    registers: withoutPid(registersOf(guest.process.cpu), guest.process.pid),
    message: host.message,
  };
}

function registersOf(cpu: Cpu): Record<string, string> {
  const general = [RIP, ...GPR].map((slot) => [slot.name, cpu.big(slot).toString(16)]);
  return {
    ...Object.fromEntries(general),
    fs_base: cpu.big(FS_BASE).toString(16),
    eflags: shownFlags(readEflags(cpu)),
  };
}
