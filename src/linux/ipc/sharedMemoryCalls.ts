/** shmget, shmat, shmdt, shmctl. */
import { E } from '../../base/errno.js';
import { PAGE_SIZE, USER_SPACE_END, pageCeil } from '../../base/types.js';
import { type Mapping, PROT } from '../../machine/mapping.js';
import { MAP } from '../memory/mmapFlags.js';
import type { ProcessMemory } from '../memory/processMemory.js';
import type { Process } from '../process.js';
import type { SyscallFamily } from '../syscall.js';
import type { SyscallArgs } from '../syscallArgs.js';
import { ACCESS, IPC, PERMISSIONS_SIZE } from './ipcObjects.js';
import { SharedSegment } from './sharedSegment.js';

const SHM = { RDONLY: 0o10000, RND: 0o20000, REMAP: 0o40000, EXEC: 0o100000 } as const;
/** In the mode that IPC_STAT shows. */
const MODE_CONDEMNED = 0o1000;
const COMMAND = { LOCK: 11, UNLOCK: 12, STAT_PLACE: 13, INFO: 14, STAT_ANY: 15 } as const;
/** /proc/sys/kernel/shmmax and shmall, as far as a double has them, and shmmni. */
const LARGEST = 18_446_744_073_692_774_399n;
const MOST_SEGMENTS = 4096;
/** struct shmid64_ds, struct shminfo64, struct shm_info. */
const STATUS_SIZE = 112;
const LIMITS_SIZE = 72;
const USAGE_SIZE = 48;

const seconds = (p: Process): number => p.clock.realtime().seconds;

function shmget(p: Process, a: SyscallArgs): number {
  const [key, size, flags] = [a.int(0), a.addr(1), a.int(2)];
  collect(p);
  const { segments } = p.world.ipc;
  const make = (): SharedSegment | number => {
    if (size < 1 || a.big(1) > LARGEST) return -E.INVAL;
    if (size > USER_SPACE_END) return -E.NOMEM;
    if (!p.world.budget.take(pageCeil(size))) return -E.NOSPC;
    return new SharedSegment(p, key, flags & 0o777, size, p.world.ipc.takeSerial());
  };
  return segments.get(p, key, flags, make, (found) => (size > found.size ? -E.INVAL : 0));
}

/** All memories of the guest's world, each once. */
function memories(p: Process): Set<ProcessMemory> {
  return new Set(p.world.processes.map(({ memory }) => memory));
}

function mappingsOf(memory: ProcessMemory, segment: SharedSegment): Mapping[] {
  return memory.space.mappings().filter(({ file }) => segment.isMappedBy(file));
}

/** How often a segment is attached: a fork attaches too, and an end detaches, without a call of ours. */
export function attachments(p: Process, segment: SharedSegment): number {
  return [...memories(p)].reduce((sum, memory) => sum + mappingsOf(memory, segment).length, 0);
}

/** Condemned segments that no process uses any more are gone. */
function collect(p: Process): void {
  const { segments } = p.world.ipc;
  for (const { id, object } of segments.entries()) {
    if (!object.condemned || attachments(p, object) > 0) continue;
    segments.remove(id);
    p.world.budget.giveBack(pageCeil(object.size));
  }
}

function find(p: Process, id: number): SharedSegment | number {
  collect(p);
  return p.world.ipc.segments.find(id);
}

/** Where to attach: a number below zero is an error, undefined leaves it to us. */
function placeFor(address: number, flags: number): number | undefined {
  if (address === 0) return (flags & SHM.REMAP) !== 0 ? -E.INVAL : undefined;
  if (address % PAGE_SIZE === 0) return address;
  if ((flags & SHM.RND) === 0) return -E.INVAL;
  const rounded = address - (address % PAGE_SIZE);
  return rounded === 0 && (flags & SHM.REMAP) !== 0 ? -E.INVAL : rounded;
}

function shmat(p: Process, a: SyscallArgs): number {
  const [id, address, flags] = [a.int(0), a.addr(1), a.int(2)];
  const place = placeFor(address, flags);
  if (place !== undefined && place < 0) return place;
  const segment = find(p, id);
  if (typeof segment === 'number') return segment;
  const readOnly = (flags & SHM.RDONLY) !== 0;
  if (!segment.allows(p, readOnly ? ACCESS.READ : ACCESS.READ | ACCESS.WRITE)) return -E.ACCES;
  const prot = PROT.READ | (readOnly ? 0 : PROT.WRITE) | ((flags & SHM.EXEC) !== 0 ? PROT.EXEC : 0);
  const fixed = place === undefined ? 0 : (flags & SHM.REMAP) !== 0 ? MAP.FIXED : MAP.FIXED_NOREPLACE;
  const request = { address: place ?? 0, length: segment.size, prot, flags: MAP.SHARED | fixed, offset: 0 };
  const result = p.memory.mmap(request, readOnly ? segment.files.readOnly : segment.files.writable);
  if (result < 0) return result === -E.EXIST ? -E.INVAL : result;
  segment.attached = seconds(p);
  segment.lastUser = p.pid;
  return result;
}

function shmdt(p: Process, a: SyscallArgs): number {
  const address = a.addr(0);
  const segment = p.world.ipc.segments.all().find((one) => mappingsOf(p.memory, one).some((m) => m.start - m.fileOffset === address));
  if (address % PAGE_SIZE !== 0 || segment === undefined) return -E.INVAL;
  for (const m of mappingsOf(p.memory, segment)) {
    if (m.start - m.fileOffset === address) p.memory.unmapRange(m.start, m.end - m.start);
  }
  segment.detached = seconds(p);
  segment.lastUser = p.pid;
  collect(p);
  return 0;
}

function writeStatus(p: Process, segment: SharedSegment, id: number, at: number): void {
  p.space.fillBytes(at, STATUS_SIZE, 0);
  segment.writePermissions(p.space, at, id);
  if (segment.condemned) p.space.writeU32(at + 20, segment.mode | MODE_CONDEMNED);
  const { size, attached, detached, changed } = segment;
  [size, attached, detached, changed].forEach((value, i) => p.space.writeNum64(at + PERMISSIONS_SIZE + i * 8, value));
  p.space.writeU32(at + 80, segment.creator);
  p.space.writeU32(at + 84, segment.lastUser);
  p.space.writeNum64(at + 88, attachments(p, segment));
}

/** IPC_INFO and SHM_INFO. */
function information(p: Process, command: number, at: number): number {
  const { segments } = p.world.ipc;
  if (command === IPC.INFO) {
    p.space.fillBytes(at, LIMITS_SIZE, 0);
    [LARGEST, 1n, BigInt(MOST_SEGMENTS), BigInt(MOST_SEGMENTS), LARGEST].forEach((value, i) => p.space.writeU64(at + i * 8, value));
  } else {
    const pages = segments.all().reduce((sum, { size }) => sum + pageCeil(size) / PAGE_SIZE, 0);
    p.space.fillBytes(at, USAGE_SIZE, 0);
    p.space.writeU32(at, segments.count);
    p.space.writeNum64(at + 8, pages);
    p.space.writeNum64(at + 16, pages);
  }
  return segments.highestPlace;
}

function statusAtPlace(p: Process, index: number, any: boolean, at: number): number {
  const place = p.world.ipc.segments.atPlace(index);
  if (place === undefined) return -E.INVAL;
  if (!any && !place.object.allows(p, ACCESS.READ)) return -E.ACCES;
  writeStatus(p, place.object, place.id, at);
  return place.id;
}

function condemn(p: Process, segment: SharedSegment): void {
  segment.condemned = true;
  segment.key = IPC.PRIVATE;
  collect(p);
}

function shmctl(p: Process, a: SyscallArgs): number {
  const [id, command, at] = [a.int(0), a.int(1), a.addr(2)];
  if (id < 0 || command < 0) return -E.INVAL;
  if (command === IPC.INFO || command === COMMAND.INFO) return information(p, command, at);
  if (command === COMMAND.STAT_PLACE || command === COMMAND.STAT_ANY) return statusAtPlace(p, id, command === COMMAND.STAT_ANY, at);
  const locks = command === COMMAND.LOCK || command === COMMAND.UNLOCK;
  if (command > IPC.STAT && !locks) return -E.INVAL;
  const segment = find(p, id);
  if (typeof segment === 'number') return segment;
  if (command === IPC.STAT) {
    if (!segment.allows(p, ACCESS.READ)) return -E.ACCES;
    writeStatus(p, segment, id, at);
    return 0;
  }
  if (!segment.ownedBy(p)) return -E.PERM;
  if (command === IPC.RMID) condemn(p, segment);
  if (command !== IPC.SET) return 0;
  segment.setPermissions(p.space, at);
  segment.changed = seconds(p);
  return 0;
}

export const sharedMemoryCalls: SyscallFamily = { shmget, shmat, shmdt, shmctl };
