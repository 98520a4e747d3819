/**
 * Descriptors of the sandbox. Those that came from the shell keep their numbers and lead straight to the
 * real file, as the user has pointed them there; devices do, too. All others lead to a file of the tree.
 */
import { O } from '../../base/fileConstants.js';
import type { BytePath } from '../../base/bytePath.js';
import type { HostFd } from '../host.js';
import type { RealFd } from './lowerFiles.js';
import type { NodeKey } from './node.js';

/** Ours cannot be mistaken for a real descriptor. */
const FIRST_FD = 1_000_000;

/** A descriptor that leads to the real system. */
export interface RealHandle {
  readonly kind: 'real';
  readonly real: RealFd;
  readonly flags: number;
  /** The user gave it to the program, so what it writes there is wanted. */
  readonly inherited: boolean;
}

export interface TreeHandle {
  readonly kind: 'tree';
  readonly key: NodeKey;
  readonly lowerPath: BytePath | undefined;
  readonly flags: number;
  /** The real file, as long as its content was not changed; only if open for reading. */
  readonly real: RealFd | undefined;
  /** The name by which it was opened, wherever it is now. */
  parent: NodeKey;
  name: string;
  /** The name was removed. */
  deleted: boolean;
  offset: number;
}

export type Handle = RealHandle | TreeHandle;

/**
 * The user has connected a file that is to grow (`>> log`): what is in it stays, whatever is done with the descriptor.
 */
export function isAppendOnly({ inherited, flags }: RealHandle): boolean {
  return inherited && (flags & O.APPEND) !== 0;
}

export class Handles {
  private readonly table = new Map<HostFd, Handle>();
  private next = FIRST_FD;

  /** Shares the real descriptors and nothing else. */
  fork(): Handles {
    const copy = new Handles();
    for (const [fd, handle] of this.table) {
      handle.real?.retain();
      copy.table.set(fd, { ...handle });
    }
    copy.next = this.next;
    return copy;
  }

  get(fd: HostFd): Handle | undefined {
    return this.table.get(fd);
  }

  add(handle: Handle): HostFd {
    const fd = this.next++ as HostFd;
    this.table.set(fd, handle);
    return fd;
  }

  /** A descriptor from the shell. */
  adopt(fd: HostFd, handle: RealHandle): void {
    this.table.set(fd, handle);
  }

  remove(fd: HostFd): void {
    this.table.delete(fd);
  }

  /** All but what the shell gave us, which others may go on using. */
  closeAll(): void {
    for (const handle of this.table.values()) {
      if (handle.kind === 'tree' || !handle.inherited) handle.real?.release();
    }
    this.table.clear();
  }

  isOpen(key: NodeKey): boolean {
    return this.trees().some((handle) => handle.key === key);
  }

  /** Descriptors follow their file to its new name. */
  renamed(from: { parent: NodeKey; name: string }, to: { parent: NodeKey; name: string }): void {
    for (const handle of this.named(from)) {
      handle.parent = to.parent;
      handle.name = to.name;
    }
  }

  removed(name: { parent: NodeKey; name: string }): void {
    for (const handle of this.named(name)) handle.deleted = true;
  }

  private trees(): TreeHandle[] {
    return [...this.table.values()].filter((handle): handle is TreeHandle => handle.kind === 'tree');
  }

  private named({ parent, name }: { parent: NodeKey; name: string }): TreeHandle[] {
    return this.trees().filter((handle) => handle.parent === parent && handle.name === name && !handle.deleted);
  }
}
