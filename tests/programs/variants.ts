/** The ways our programs are compiled and linked. */

export interface Variant {
  readonly name: string;
  readonly compiler: 'gcc' | 'musl-gcc';
  readonly flags: readonly string[];
}

const LINKS: Readonly<Record<string, { compiler: Variant['compiler']; flags: readonly string[] }>> = {
  dynamic: { compiler: 'gcc', flags: ['-pie', '-fPIE'] },
  'no-pie': { compiler: 'gcc', flags: ['-no-pie', '-fno-pie'] },
  static: { compiler: 'gcc', flags: ['-static', '-no-pie', '-fno-pie'] },
  'static-pie': { compiler: 'gcc', flags: ['-static-pie', '-fPIE'] },
  musl: { compiler: 'musl-gcc', flags: [] },
  'musl-static': { compiler: 'musl-gcc', flags: ['-static', '-no-pie', '-fno-pie'] },
};

const LEVELS = ['-O0', '-O1', '-O2', '-O3'];

function variant(level: string, link: string): Variant {
  const { compiler, flags } = LINKS[link] ?? { compiler: 'gcc', flags: [] };
  return { name: `${level} ${link}`, compiler, flags: [level, ...flags] };
}

/** Every level and every way to link, but not every pair of them. */
export const USUAL: readonly Variant[] = [
  variant('-O0', 'dynamic'),
  variant('-O1', 'musl-static'),
  variant('-O2', 'static-pie'),
  variant('-O3', 'no-pie'),
  variant('-O2', 'musl'),
  variant('-O0', 'static'),
];

/** All pairs: for CULPRIT_LONG=1. */
export const ALL: readonly Variant[] = LEVELS.flatMap((level) => Object.keys(LINKS).map((link) => variant(level, link)));
