/** /proc/cpuinfo: the processor that the guest sees through CPUID. */
import { cpuid } from '../../machine/cpuid.js';

/** Names of feature bits, by register: those of leaf 1 (edx, ecx) and of leaf 0x80000001 (edx, ecx). */
const EDX = [
  'fpu', 'vme', 'de', 'pse', 'tsc', 'msr', 'pae', 'mce', 'cx8', 'apic', '', 'sep', 'mtrr', 'pge', 'mca', 'cmov', 'pat',
  'pse36', 'pn', 'clflush', '', 'dts', 'acpi', 'mmx', 'fxsr', 'sse', 'sse2', 'ss', 'ht', 'tm', 'ia64', 'pbe',
];
const ECX = [
  'pni', 'pclmulqdq', 'dtes64', 'monitor', 'ds_cpl', 'vmx', 'smx', 'est', 'tm2', 'ssse3', 'cid', 'sdbg', 'fma', 'cx16',
  'xtpr', 'pdcm', '', 'pcid', 'dca', 'sse4_1', 'sse4_2', 'x2apic', 'movbe', 'popcnt', 'tsc_deadline_timer', 'aes',
  'xsave', '', 'avx', 'f16c', 'rdrand', 'hypervisor',
];
const EXTENDED_EDX: Readonly<Record<number, string>> = { 11: 'syscall', 20: 'nx', 26: 'pdpe1gb', 27: 'rdtscp', 29: 'lm' };
const EXTENDED_ECX: Readonly<Record<number, string>> = { 0: 'lahf_lm', 5: 'abm' };
/** What Linux adds by itself. */
const ADDED = ['constant_tsc', 'rep_good', 'nopl', 'cpuid'];

function named(bits: number, names: Readonly<Record<number, string>>): string[] {
  const found: string[] = [];
  for (let i = 0; i < 32; i++) {
    const name = names[i];
    if (((bits >>> i) & 1) !== 0 && name !== undefined && name !== '') found.push(name);
  }
  return found;
}

function flags(): string {
  const basic = cpuid(1, 0);
  const extended = cpuid(0x8000_0001, 0);
  const names = [
    ...named(basic.edx, EDX), ...named(extended.edx, EXTENDED_EDX), ...ADDED, ...named(basic.ecx, ECX),
    ...named(extended.ecx, EXTENDED_ECX),
  ];
  return names.join(' ');
}

function textOf(...words: readonly number[]): string {
  const bytes = new Uint8Array(Uint32Array.from(words).buffer);
  return String.fromCharCode(...bytes).replace(/\0+$/, '');
}

function brand(): string {
  const parts = [0x8000_0002, 0x8000_0003, 0x8000_0004].map((leaf) => cpuid(leaf, 0));
  return textOf(...parts.flatMap(({ eax, ebx, ecx, edx }) => [eax, ebx, ecx, edx])).trim();
}

function describe(number: number, processors: number): string {
  const vendor = cpuid(0, 0);
  const { eax: signature } = cpuid(1, 0);
  const model = ((signature >>> 4) & 0xf) | ((signature >>> 12) & 0xf0);
  const fields: readonly (readonly [string, string | number])[] = [
    ['processor\t', number], ['vendor_id\t', textOf(vendor.ebx, vendor.edx, vendor.ecx)],
    ['cpu family\t', (signature >>> 8) & 0xf], ['model\t\t', model], ['model name\t', brand()],
    ['stepping\t', signature & 0xf], ['cpu MHz\t\t', '1000.000'], ['cache size\t', '8192 KB'], ['physical id\t', 0],
    ['siblings\t', processors], ['core id\t\t', number], ['cpu cores\t', processors], ['fpu\t\t', 'yes'],
    ['fpu_exception\t', 'yes'], ['cpuid level\t', vendor.eax], ['wp\t\t', 'yes'], ['flags\t\t', flags()],
    ['bogomips\t', '2000.00'], ['clflush size\t', 64], ['cache_alignment\t', 64],
    ['address sizes\t', '36 bits physical, 48 bits virtual'],
  ];
  return `${fields.map(([name, value]) => `${name}: ${value}`).join('\n')}\npower management:\n\n`;
}

export function cpuInfo(processors: number): Uint8Array {
  let text = '';
  for (let i = 0; i < processors; i++) text += describe(i, processors);
  return new TextEncoder().encode(text);
}
