/** Lets a program crash in the engine. */
import { bytePath } from '../../src/base/bytePath.js';
import { FS_BASE, GPR, RIP } from '../../src/layout/cpuState.js';
import { createGuest } from '../../src/linux/guest.js';
import { readEflags } from '../../src/linux/signals/eflags.js';
import { infoAddress } from '../../src/linux/signals/siginfo.js';
import type { Cpu } from '../../src/machine/cpu.js';
import type { EngineOptions } from '../../src/machine/engineOptions.js';
import { type Crash, ENVIRONMENT, RANDOM_BYTE, shownFlags, withoutPid } from './crash.js';
import { hasAddress } from './nativeCrash.js';
import { QuietHost } from './quietHost.js';

export async function crashInGuest(program: string, engine: Partial<EngineOptions>): Promise<Crash> {
  const host = new QuietHost(RANDOM_BYTE, ENVIRONMENT);
  const guest = createGuest(host, { program: bytePath(program), args: [], environment: host.environment(), engine });
  const status = await guest.world.run();
  if (status.kind !== 'signaled' || status.info === undefined) throw new Error(`the guest did not crash: ${JSON.stringify(status)}\n${host.stderr}`);
  const { signal, info } = status;
  return {
    signal,
    code: info.code,
    address: hasAddress(info.code) ? infoAddress(info).toString(16) : '0',
    registers: withoutPid(registersOf(guest.process.cpu), guest.process.pid),
    message: host.stderr,
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
