/** Inputs for the table: made from a fixed seed, so that every run sees the same bytes. */

/** Numbers in [0, 1) from a linear congruence: good enough for test data. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const WORDS = (
  'the of and a to in is you that it he was for on are as with his they I at be this have from or one had by word but not what all ' +
  'were we when your can said there use an each which she do how their if will up other about out many then them these so some her ' +
  'would make like him into time has look two more write go see number no way could people my than first water been call who oil'
).split(' ');

/** Lines of `wordsPerLine` words each. */
export function prose(lines: number, wordsPerLine = 8, seed = 1): string {
  const random = randomNumbers(seed);
  const word = (): string => WORDS[Math.floor(random() * WORDS.length)] ?? '';
  return Array.from({ length: lines }, () => `${Array.from({ length: wordsPerLine }, word).join(' ')}\n`).join('');
}

/** One decimal number a line. */
export function numbers(lines: number, limit = 1e9, seed = 2): string {
  const random = randomNumbers(seed);
  return Array.from({ length: lines }, () => `${Math.floor(random() * limit)}\n`).join('');
}

/** Records of an id, a key that repeats, an amount and a word, separated by `separator`. */
export function records(lines: number, separator = ',', seed = 3): string {
  const random = randomNumbers(seed);
  const pick = (n: number): number => Math.floor(random() * n);
  return Array.from({ length: lines }, (_, i) => [i + 1, `key${pick(50)}`, (pick(1e6) / 100).toFixed(2), WORDS[pick(WORDS.length)]].join(separator) + '\n').join('');
}

/** Bytes no compressor can do much with. */
export function noise(size: number, seed = 4): Uint8Array {
  const random = randomNumbers(seed);
  return Uint8Array.from({ length: size }, () => Math.floor(random() * 256));
}

/** Text with many kinds of characters: long in UTF-8, and awkward to classify. */
export const UNICODE = 'Grüße, ÅNGSTRÖM naïve ßtraße\nΑθήνα σοφός ΣΊΣΥΦΟΣ\n日本語のテキスト 漢字\nпривет МИР\n\u{1f600}\u{1f680} e\u0301 \u00e9\nтест\ttab\n';

/** Valid UTF-8 mixed with bytes that are not. */
export const BROKEN_UTF8 = Uint8Array.of(0x61, 0xff, 0xfe, 0x0a, 0xc3, 0xa9, 0xc3, 0x0a, 0xed, 0xa0, 0x80, 0x62, 0x0a, 0x00, 0x63, 0x0a);
