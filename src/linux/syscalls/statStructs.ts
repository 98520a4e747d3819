/** struct stat, struct statx and struct statfs as x86-64 Linux lays them out. */
import type { HostStat, HostStatfs, TimeSpec } from '../../host/host.js';
import type { Process } from '../process.js';

const STAT_SIZE = 144;
const STATX_SIZE = 256;
const STATFS_SIZE = 120;
const STATX_BASIC_AND_BIRTH = 0xfff;
const TWO_32 = 0x1_0000_0000;

function put64(view: DataView, at: number, value: number): void {
  const high = Math.floor(value / TWO_32);
  view.setUint32(at, value - high * TWO_32, true);
  view.setInt32(at + 4, high | 0, true);
}

/** A zeroed structure in guest memory, for as long as the system call lasts. */
export function structAt(p: Process, address: number, size: number): DataView {
  const bytes = p.space.view(address, size, 'write');
  bytes.fill(0);
  return new DataView(bytes.buffer, bytes.byteOffset, size);
}

export function writeStat(p: Process, address: number, stat: HostStat): void {
  const view = structAt(p, address, STAT_SIZE);
  view.setBigUint64(0, stat.device, true);
  view.setBigUint64(8, stat.inode, true);
  put64(view, 16, stat.links);
  view.setUint32(24, stat.mode, true);
  view.setUint32(28, stat.uid, true);
  view.setUint32(32, stat.gid, true);
  view.setBigUint64(40, stat.specialDevice, true);
  put64(view, 48, stat.size);
  put64(view, 56, stat.blockSize);
  put64(view, 64, stat.blocks);
  putTime(view, 72, stat.accessed);
  putTime(view, 88, stat.modified);
  putTime(view, 104, stat.changed);
}

function putTime(view: DataView, at: number, time: TimeSpec): void {
  put64(view, at, time.seconds);
  put64(view, at + 8, time.nanoseconds);
}

function major(device: bigint): number {
  return Number(((device >> 8n) & 0xfffn) | ((device >> 32n) & 0xffff_f000n));
}

function minor(device: bigint): number {
  return Number((device & 0xffn) | ((device >> 12n) & 0xffff_ff00n));
}

export function writeStatx(p: Process, address: number, stat: HostStat): void {
  const view = structAt(p, address, STATX_SIZE);
  view.setUint32(0, STATX_BASIC_AND_BIRTH, true);
  view.setUint32(4, stat.blockSize, true);
  view.setUint32(16, stat.links, true);
  view.setUint32(20, stat.uid, true);
  view.setUint32(24, stat.gid, true);
  view.setUint16(28, stat.mode, true);
  view.setBigUint64(32, stat.inode, true);
  put64(view, 40, stat.size);
  put64(view, 48, stat.blocks);
  putStatxTime(view, 64, stat.accessed);
  putStatxTime(view, 80, stat.born);
  putStatxTime(view, 96, stat.changed);
  putStatxTime(view, 112, stat.modified);
  view.setUint32(128, major(stat.specialDevice), true);
  view.setUint32(132, minor(stat.specialDevice), true);
  view.setUint32(136, major(stat.device), true);
  view.setUint32(140, minor(stat.device), true);
}

function putStatxTime(view: DataView, at: number, time: TimeSpec): void {
  put64(view, at, time.seconds);
  view.setUint32(at + 8, time.nanoseconds, true);
}

export function writeStatfs(p: Process, address: number, stat: HostStatfs): void {
  const view = structAt(p, address, STATFS_SIZE);
  put64(view, 0, stat.type);
  put64(view, 8, stat.blockSize);
  put64(view, 16, stat.blocks);
  put64(view, 24, stat.blocksFree);
  put64(view, 32, stat.blocksAvailable);
  put64(view, 40, stat.files);
  put64(view, 48, stat.filesFree);
  put64(view, 64, 255);
  put64(view, 72, stat.blockSize);
}
