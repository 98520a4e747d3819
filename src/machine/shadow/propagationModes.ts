/**
 * Decides whether generated code propagates shadow by itself. Code that does is slower than code that only looks out for
 * shadow; but instructions that meet some are executed one by one there, which takes a thousand times as long. What
 * comes out is the same.
 */

/** So many instructions that were executed one by one among so many are too many. */
const MOST_STEPS = 20_000;
const WINDOW = 50_000_000;
/** So many instructions that have nothing to do with shadow, with so few exceptions, need no such code. */
const QUIET = 20_000_000;
const MOST_MET = 200;
/** After every change of mind it takes longer to come to the next. */
const PATIENCE = 2;

interface Outside {
  now(): number;
  setPropagation(propagates: boolean): void;
}

export class PropagationModes {
  private isOn = false;
  private steps = 0;
  /** When counting began. */
  private since = 0;
  private quiet = QUIET;

  constructor(
    private readonly outside: Outside,
    private readonly most = MOST_STEPS,
  ) {
    if (most === 0) this.switchTo(true);
  }

  get propagates(): boolean {
    return this.isOn;
  }

  /** An instruction has been executed alone, because of shadow. */
  stepped(): void {
    if (++this.steps < this.most || this.isOn) return;
    const isMuch = this.outside.now() - this.since < WINDOW;
    this.beginCounting();
    if (isMuch) this.switchTo(true);
  }

  /** Generated code is about to run, and no register has shadow. */
  isClean(code: { met(): number }): void {
    if (!this.isOn || this.outside.now() - this.since < this.quiet) return;
    const isQuiet = code.met() + this.steps < MOST_MET;
    this.beginCounting();
    if (!isQuiet) return;
    this.quiet *= PATIENCE;
    this.switchTo(false);
  }

  private beginCounting(): void {
    this.steps = 0;
    this.since = this.outside.now();
  }

  private switchTo(propagates: boolean): void {
    this.isOn = propagates;
    this.outside.setPropagation(propagates);
  }
}
