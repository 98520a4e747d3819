/**
 * How much memory there is: what /proc/meminfo and sysinfo say. A program that sizes itself by it (Java takes a quarter
 * of it for its heap) is to get what it asks for, so it is what our address spaces hold, or less if the machine has
 * less.
 */
import { bytesOfBytePath } from '../../base/bytePath.js';
import { GUEST_SPACE_SIZE } from '../../layout/memoryMap.js';
import type { Process } from '../process.js';

export function memoryThereIs({ host, space }: Process): { readonly total: number; readonly free: number } {
  const { total, free } = host.system.memory();
  const most = Math.min(total, GUEST_SPACE_SIZE);
  return { total: most, free: Math.max(0, Math.min(free, most - space.residentBytes)) };
}

const ZEROS = [
  'Buffers', 'Cached', 'SwapCached', 'Active', 'Inactive', 'Active(anon)', 'Inactive(anon)', 'Active(file)', 'Inactive(file)', 'Unevictable', 'Mlocked',
  'SwapTotal', 'SwapFree', 'Zswap', 'Zswapped', 'Dirty', 'Writeback',
];
const MORE_ZEROS = [
  'Mapped', 'Shmem', 'KReclaimable', 'Slab', 'SReclaimable', 'SUnreclaim', 'KernelStack', 'PageTables', 'SecPageTables', 'NFS_Unstable', 'Bounce', 'WritebackTmp',
];
const HUGE_PAGES = ['HugePages_Total', 'HugePages_Free', 'HugePages_Rsvd', 'HugePages_Surp'];

export function memInfo(process: Process): Uint8Array {
  const { total, free } = memoryThereIs(process);
  const line = (label: string, bytes: number): string => `${`${label}:`.padEnd(16)}${String(Math.floor(bytes / 1024)).padStart(8)} kB\n`;
  const zeros = (labels: readonly string[]): string => labels.map((label) => line(label, 0)).join('');
  return bytesOfBytePath(
    line('MemTotal', total) + line('MemFree', free) + line('MemAvailable', free) + zeros(ZEROS) + line('AnonPages', total - free) + zeros(MORE_ZEROS) +
    line('CommitLimit', total) + line('Committed_AS', process.space.mappedBytes) + 'VmallocTotal:   34359738367 kB\n' +
    zeros(['VmallocUsed', 'VmallocChunk', 'Percpu', 'AnonHugePages', 'ShmemHugePages', 'ShmemPmdMapped', 'FileHugePages', 'FilePmdMapped']) +
    HUGE_PAGES.map((label) => `${`${label}:`.padEnd(16)}${'0'.padStart(8)}\n`).join('') + line('Hugepagesize', 2 * 1024 * 1024) +
    line('Hugetlb', 0) + line('DirectMap4k', total),
  );
}
