/**
 * A line on a terminal that says how far something is that takes more than a moment. What is shown never goes backward:
 * where one part of the work is followed by another that begins anew, so that it is not known how much there is to do,
 * the seconds that it has taken are shown from then on.
 */
const FIRST_MILLISECONDS = 2000;
const INTERVAL_MILLISECONDS = 250;
const ERASE_LINE = '\r\u001b[K';

interface ProgressEnds {
  readonly isTerminal: boolean;
  now(): number;
  write(text: string): void;
}

const STDERR: ProgressEnds = { isTerminal: process.stderr.isTTY === true, now: () => performance.now(), write: (text) => void process.stderr.write(text) };

export class Progress {
  private readonly began: number;
  private last = 0;
  private shown = false;
  /** The highest that was shown; undefined if it is not known how much there is. */
  private percent: number | undefined = 0;

  /** `wanted` is false where it would be in the way of other output. */
  constructor(
    private readonly what: string,
    private readonly wanted = true,
    private readonly ends = STDERR,
  ) {
    this.began = ends.now();
  }

  /** `part` of 1 is done; undefined: not known. */
  report(part: number | undefined): void {
    const { ends, began } = this;
    const now = ends.now();
    if (!this.wanted || !ends.isTerminal || now - began < FIRST_MILLISECONDS || now - this.last < INTERVAL_MILLISECONDS) return;
    this.last = now;
    this.shown = true;
    const percent = part === undefined ? undefined : Math.floor(Math.min(part, 1) * 100);
    this.percent = percent === undefined || this.percent === undefined || percent < this.percent ? undefined : percent;
    ends.write(`${ERASE_LINE}culprit: ${this.what}: ${this.percent === undefined ? `${Math.floor((now - began) / 1000)} s` : `${this.percent}%`}`);
  }

  /** Before anything else is said. */
  clear(): void {
    if (this.shown) this.ends.write(ERASE_LINE);
    this.shown = false;
  }
}
