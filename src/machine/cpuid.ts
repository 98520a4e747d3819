/**
 * What CPUID says: an Intel CPU of family 6, model 0x1a, whose features are exactly x86-64-v2. That
 * model makes libraries choose plain SSE2 code with unaligned loads, which suits us best. Cache
 * sizes are those of the real thing, so that code which sizes its blocks by them does something sensible.
 */
interface CpuidResult {
  readonly eax: number;
  readonly ebx: number;
  readonly ecx: number;
  readonly edx: number;
}

const bits = (...positions: number[]): number => positions.reduce((mask, n) => mask | (1 << n), 0);

/** fpu tsc cx8 cmov clflush mmx fxsr sse sse2: also what AT_HWCAP shows. */
export const FEATURES_EDX = bits(0, 4, 8, 15, 19, 23, 24, 25, 26);
/** sse3 ssse3 cx16 sse4.1 sse4.2 popcnt. */
const FEATURES_ECX = bits(0, 9, 13, 19, 20, 23);
/** syscall nx rdtscp lm. */
const EXTENDED_EDX = bits(11, 20, 27, 29);
/** lahf in 64-bit mode. */
const EXTENDED_ECX = bits(0);

/** Family 6, model 0x1a, stepping 5. */
const SIGNATURE = 0x000106a5;
/** One logical processor, cache lines of 64 bytes. */
const LINE_AND_PROCESSORS = 0x00010800;
const LAST_BASIC = 0xd;
const LAST_EXTENDED = 0x80000008;

const BRAND = 'Culprit virtual CPU (x86-64-v2)';
const VENDOR = 'GenuineIntel';

function word(text: string, at: number): number {
  let value = 0;
  for (let i = 3; i >= 0; i--) value = (value << 8) | (text.charCodeAt(at + i) || 0);
  return value;
}

function leaf(eax: number, ebx: number, ecx: number, edx: number): CpuidResult {
  return { eax, ebx, ecx, edx };
}

const NOTHING = leaf(0, 0, 0, 0);

/** Leaf 4, one cache: type 1 = data, 2 = instruction, 3 = unified. */
function cache(level: number, type: number, ways: number, sets: number): CpuidResult {
  const lineSize = 64;
  return leaf(type | (level << 5) | (1 << 8), ((ways - 1) << 22) | (lineSize - 1), sets - 1, 0);
}

/** L1 data 32 KiB, L1 code 32 KiB, L2 256 KiB, L3 8 MiB. */
const CACHES: readonly CpuidResult[] = [cache(1, 1, 8, 64), cache(1, 2, 4, 128), cache(2, 3, 8, 512), cache(3, 3, 16, 8192)];

function brand(part: number): CpuidResult {
  const at = part * 16;
  return leaf(word(BRAND, at), word(BRAND, at + 4), word(BRAND, at + 8), word(BRAND, at + 12));
}

/** Arguments as unsigned 32-bit numbers. An unknown leaf answers zeros. */
export function cpuid(number: number, subleaf: number): CpuidResult {
  switch (number) {
    case 0:
      return leaf(LAST_BASIC, word(VENDOR, 0), word(VENDOR, 8), word(VENDOR, 4));
    case 1:
      return leaf(SIGNATURE, LINE_AND_PROCESSORS, FEATURES_ECX, FEATURES_EDX);
    case 2:
      // Descriptors of the same caches, in the old encoding.
      return leaf(0x55035a01, 0x00f0b2e4, 0, 0x09ca212c);
    case 4:
      return CACHES[subleaf] ?? NOTHING;
    case 0x80000000:
      return leaf(LAST_EXTENDED, 0, 0, 0);
    case 0x80000001:
      return leaf(0, 0, EXTENDED_ECX, EXTENDED_EDX);
    case 0x80000002:
    case 0x80000003:
    case 0x80000004:
      return brand(number - 0x80000002);
    case 0x80000006:
      // L2: 256 KiB, 8 ways, lines of 64 bytes.
      return leaf(0, 0, 0x01006040, 0);
    case 0x80000007:
      // The time stamp counter does not depend on power states.
      return leaf(0, 0, 0, 0x100);
    case 0x80000008:
      // 48 bits of virtual, 36 of physical address.
      return leaf(0x3024, 0, 0, 0);
    default:
      return NOTHING;
  }
}
