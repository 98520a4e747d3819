/** What inotify needs in the guest's world: the host with files that tell what is done to them, and who listens. */
import type { BytePath } from '../../base/bytePath.js';
import type { Host, HostClock, HostFiles, HostIdentity, HostJob, HostNetwork, HostSignals, HostSystem, HostTerminal } from '../../host/host.js';
import type { Process } from '../process.js';
import { FileEvents, keyOf } from './fileEvents.js';
import { ObservedFiles } from './observedFiles.js';
import { OutsideChanges } from './outsideChanges.js';

export class FileWatching {
  readonly events = new FileEvents();
  readonly outside: OutsideChanges;
  /** As the guest is to use it. */
  readonly host: Host;

  constructor(host: Host, processes: readonly Process[], notify: () => void) {
    const isOpen = (key: string): boolean => processes.some((process) => hasOpen(process, key));
    this.outside = new OutsideChanges(host.files, this.events, isOpen, notify);
    const files = new ObservedFiles(host.files, this.events, isOpen, this.outside);
    this.host = new ObservedHost(host, files);
  }
}

function hasOpen({ files }: Process, key: string): boolean {
  return files.numbers().some((fd) => {
    const stat = files.get(fd)?.stat();
    return typeof stat === 'object' && keyOf(stat) === key;
  });
}

class ObservedHost implements Host {
  constructor(
    private readonly host: Host,
    readonly files: HostFiles,
  ) {}

  get isolated(): boolean {
    return this.host.isolated === true;
  }

  get budget(): Host['budget'] {
    return this.host.budget;
  }

  get clock(): HostClock {
    return this.host.clock;
  }

  get terminal(): HostTerminal {
    return this.host.terminal;
  }

  get identity(): HostIdentity {
    return this.host.identity;
  }

  get system(): HostSystem {
    return this.host.system;
  }

  get signals(): HostSignals {
    return this.host.signals;
  }

  get job(): HostJob | undefined {
    return this.host.job;
  }

  get network(): HostNetwork {
    return this.host.network;
  }

  random(target: Uint8Array): void {
    this.host.random(target);
  }

  environment(): readonly BytePath[] {
    return this.host.environment();
  }

  notify(line: string): void {
    this.host.notify(line);
  }
}
