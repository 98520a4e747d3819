/**
 * What System V's message queues, semaphores and shared memory have in common: keys, numbers, owners and
 * permissions. Everything lives in the guest's world; objects of the host are not seen.
 */
import { E } from '../../base/errno.js';
import type { AddressSpace } from '../../machine/addressSpace.js';
import type { Process } from '../process.js';

export const IPC = { CREAT: 0o1000, EXCL: 0o2000, NOWAIT: 0o4000, RMID: 0, SET: 1, STAT: 2, INFO: 3, PRIVATE: 0 } as const;
/** The permission bits of one class, as in file modes. */
export const ACCESS = { READ: 4, WRITE: 2 } as const;

/** The number of an object is its place plus this times how often the place was used before. */
const SEQUENCE_STEP = 32768;
const LARGEST_SEQUENCE = 0xffff;
/** struct ipc64_perm. */
export const PERMISSIONS_SIZE = 48;

export class IpcObject {
  uid: number;
  gid: number;
  readonly creatorUid: number;
  readonly creatorGid: number;
  /** Set when it is removed: a process that holds on to it gets EIDRM. */
  removed = false;

  constructor(
    creator: Process,
    public key: number,
    public mode: number,
  ) {
    const { user, group } = creator.credentials;
    this.uid = this.creatorUid = user.effective;
    this.gid = this.creatorGid = group.effective;
  }

  /** Whether the process may do what `access` (ACCESS bits) says. */
  allows(p: Process, access: number): boolean {
    const { user, group, groups, privileged } = p.credentials;
    if (privileged) return true;
    const isUser = user.effective === this.uid || user.effective === this.creatorUid;
    const isGroup = [group.effective, ...groups].some((id) => id === this.gid || id === this.creatorGid);
    const granted = isUser ? this.mode >> 6 : isGroup ? this.mode >> 3 : this.mode;
    return (granted & access) === access;
  }

  /** Whether the process may change or remove it. */
  ownedBy(p: Process): boolean {
    const { user, privileged } = p.credentials;
    return privileged || user.effective === this.uid || user.effective === this.creatorUid;
  }

  /** IPC_SET: takes owner and mode from a struct ipc64_perm. */
  setPermissions(space: AddressSpace, at: number): void {
    this.uid = space.readU32(at + 4);
    this.gid = space.readU32(at + 8);
    this.mode = (this.mode & ~0o777) | (space.readU32(at + 20) & 0o777);
  }

  writePermissions(space: AddressSpace, at: number, id: number): void {
    space.fillBytes(at, PERMISSIONS_SIZE, 0);
    [this.key, this.uid, this.gid, this.creatorUid, this.creatorGid, this.mode].forEach((value, i) => space.writeU32(at + i * 4, value));
    space.writeU16(at + 24, Math.floor(id / SEQUENCE_STEP));
  }
}

export class IpcObjects<T extends IpcObject> {
  private readonly places: ({ readonly id: number; readonly object: T } | undefined)[] = [];
  private sequence = 0;

  constructor(private readonly most: number) {}

  get count(): number {
    return this.places.reduce((sum, place) => sum + (place === undefined ? 0 : 1), 0);
  }

  /** The highest place in use: what the INFO commands return. */
  get highestPlace(): number {
    return Math.max(0, this.places.findLastIndex((place) => place !== undefined));
  }

  /** msgget and its kin: finds what is there (`fits` has the last word) or makes it. */
  get(p: Process, key: number, flags: number, make: () => T | number, fits: (found: T) => number): number {
    const found = key === IPC.PRIVATE ? undefined : this.places.find((place) => place?.object.key === key);
    if (found === undefined) return key !== IPC.PRIVATE && (flags & IPC.CREAT) === 0 ? -E.NOENT : this.add(make);
    if ((flags & IPC.CREAT) !== 0 && (flags & IPC.EXCL) !== 0) return -E.EXIST;
    const problem = fits(found.object);
    if (problem !== 0) return problem;
    const wanted = (flags >> 6) | (flags >> 3) | flags;
    return found.object.allows(p, wanted & (ACCESS.READ | ACCESS.WRITE)) ? found.id : -E.ACCES;
  }

  find(id: number): T | number {
    if (id < 0) return -E.INVAL;
    const place = this.places[id % SEQUENCE_STEP];
    return place?.id === id ? place.object : -E.INVAL;
  }

  /** By place instead of number, as the STAT commands of ipcs do it. */
  atPlace(index: number): { readonly id: number; readonly object: T } | undefined {
    return this.places[index];
  }

  remove(id: number): void {
    const place = this.places[id % SEQUENCE_STEP];
    if (place?.id !== id) return;
    place.object.removed = true;
    this.places[id % SEQUENCE_STEP] = undefined;
    this.sequence = (this.sequence + 1) & LARGEST_SEQUENCE;
  }

  entries(): { readonly id: number; readonly object: T }[] {
    return this.places.flatMap((place) => place ?? []);
  }

  all(): T[] {
    return this.entries().map(({ object }) => object);
  }

  private add(make: () => T | number): number {
    if (this.count >= this.most) return -E.NOSPC;
    const object = make();
    if (typeof object === 'number') return object;
    const free = this.places.indexOf(undefined);
    const index = free < 0 ? this.places.length : free;
    const id = this.sequence * SEQUENCE_STEP + index;
    this.places[index] = { id, object };
    return id;
  }
}
