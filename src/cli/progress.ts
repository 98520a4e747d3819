/** A line on a terminal that says how far something is that takes more than a moment. */
const FIRST_MILLISECONDS = 2000;
const INTERVAL_MILLISECONDS = 250;
const ERASE_LINE = '\r\u001b[K';

export class Progress {
  private readonly began = performance.now();
  private last = 0;
  private shown = false;

  /** `wanted` is false where it would be in the way of other output. */
  constructor(
    private readonly what: string,
    private readonly wanted = true,
  ) {}

  /** `part` of 1 is done. */
  report(part: number): void {
    const now = performance.now();
    if (!this.wanted || !process.stderr.isTTY || now - this.began < FIRST_MILLISECONDS || now - this.last < INTERVAL_MILLISECONDS) return;
    this.last = now;
    this.shown = true;
    process.stderr.write(`${ERASE_LINE}culprit: ${this.what}: ${Math.floor(Math.min(part, 1) * 100)}%`);
  }

  /** Before anything else is said. */
  clear(): void {
    if (this.shown) process.stderr.write(ERASE_LINE);
    this.shown = false;
  }
}
