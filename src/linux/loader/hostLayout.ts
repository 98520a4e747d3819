/**
 * What of a process's layout depends on the kernel it would natively run on. Our own process runs
 * on that kernel, so it can be read off it; whatever cannot be read is as on Linux 6.18.
 */
import { PAGE_SIZE } from '../../base/types.js';
import { bytePath } from '../../base/bytePath.js';
import type { Host } from '../../host/host.js';

interface HostLayout {
  /** Pages of [vvar], [vvar_vclock] and [vdso]. */
  readonly vdsoPages: readonly [number, number, number];
  /** Whether mmap aligns large mappings for transparent huge pages. */
  readonly hugePages: boolean;
}

const DEFAULT_VDSO_PAGES = [4, 2, 2] as const;

export function readHostLayout({ files, system }: Pick<Host, 'files' | 'system'>): HostLayout {
  return {
    vdsoPages: vdsoPagesOf(system.ownMappings?.() ?? ''),
    hugePages: typeof files.stat(bytePath('/sys/kernel/mm/transparent_hugepage'), true) !== 'number',
  };
}

/** From the text of a /proc/PID/maps. */
export function vdsoPagesOf(maps: string): readonly [number, number, number] {
  const pages = (name: string): number => {
    const line = new RegExp(`^([0-9a-f]+)-([0-9a-f]+) .*\\[${name}\\]$`, 'm').exec(maps);
    return line === null ? 0 : (parseInt(line[2] as string, 16) - parseInt(line[1] as string, 16)) / PAGE_SIZE;
  };
  const vdso = pages('vdso');
  return vdso === 0 ? DEFAULT_VDSO_PAGES : [pages('vvar'), pages('vvar_vclock'), vdso];
}
