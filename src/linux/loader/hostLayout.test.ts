import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { NodeHost } from '../../host/nodeHost.js';
import { readHostLayout, vdsoPagesOf } from './hostLayout.js';

it('reads the size of the vDSO off a memory map', () => {
  const maps = [
    '7ffff7fc1000-7ffff7fc5000 r--p 00000000 00:00 0                          [vvar]',
    '7ffff7fc5000-7ffff7fc6000 r-xp 00000000 00:00 0                          [vdso]',
    '7ffffffde000-7ffffffff000 rw-p 00000000 00:00 0                          [stack]',
  ];
  expect(vdsoPagesOf(maps.join('\n'))).toEqual([4, 0, 1]);
  expect(vdsoPagesOf('')).toEqual([4, 2, 2]);
});

it('agrees with the kernel this runs on', () => {
  const { vdsoPages } = readHostLayout(new NodeHost());
  expect(vdsoPages).toEqual(vdsoPagesOf(readFileSync('/proc/self/maps', 'latin1')));
});
