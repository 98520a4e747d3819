/** /proc/cpuinfo: the processor that the guest sees through CPUID, x86-64-v2. */
const FLAGS =
  'fpu tsc cx8 cmov mmx fxsr sse sse2 syscall nx lm constant_tsc rep_good nopl cpuid pni ssse3 cx16 sse4_1 sse4_2 popcnt lahf_lm';

export function cpuInfo(processors: number): Uint8Array {
  let text = '';
  for (let i = 0; i < processors; i++) text += describe(i, processors);
  return new TextEncoder().encode(text);
}

function describe(number: number, processors: number): string {
  const fields: readonly (readonly [string, string])[] = [
    ['processor\t', String(number)], ['vendor_id\t', 'GenuineIntel'], ['cpu family\t', '6'], ['model\t\t', '44'],
    ['model name\t', 'Culprit Virtual CPU'], ['stepping\t', '0'], ['cpu MHz\t\t', '1000.000'],
    ['cache size\t', '4096 KB'], ['physical id\t', '0'], ['siblings\t', String(processors)],
    ['core id\t\t', String(number)], ['cpu cores\t', String(processors)], ['fpu\t\t', 'yes'],
    ['fpu_exception\t', 'yes'], ['cpuid level\t', '7'], ['wp\t\t', 'yes'], ['flags\t\t', FLAGS],
    ['bogomips\t', '2000.00'], ['clflush size\t', '64'], ['cache_alignment\t', '64'],
    ['address sizes\t', '47 bits physical, 48 bits virtual'],
  ];
  return `${fields.map(([name, value]) => `${name}: ${value}`).join('\n')}\npower management:\n\n`;
}
