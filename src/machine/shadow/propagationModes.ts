/**
 * Decides whether generated code propagates shadow by itself. Code that does is slower than code that only looks out for
 * shadow; but instructions that meet some are executed one by one there, which takes a thousand times as long. What
 * comes out is the same.
 *
 * Code that propagates is made for the instructions that are known to meet shadow. When others have been found to,
 * it is made anew.
 */
import { MetInstructions } from '../../ir/propagation/metInstructions.js';

/** So many instructions that were executed one by one among so many are too many. */
const MOST_STEPS = 20_000;
const WINDOW = 50_000_000;
/** So many that were executed one by one are worth it to make code anew. */
const STEPS_FOR_NEWS = 1000;
/** So many instructions that have nothing to do with shadow, with so few exceptions, need no such code. */
const QUIET = 20_000_000;
const MOST_MET = 200;
/** After every change of mind it takes longer to come to the next. */
const PATIENCE = 2;

interface Outside {
  now(): number;
  setPropagation(met: MetInstructions | undefined): void;
  remake(addresses: Iterable<number>): void;
}

export class PropagationModes {
  private isOn = false;
  private steps = 0;
  /** When counting began. */
  private since = 0;
  private quiet = QUIET;
  private readonly known = new MetInstructions();
  /** Those that code does not know of, and how many steps there were when the last were told. */
  private news: number[] = [];
  private told = 0;

  constructor(
    private readonly outside: Outside,
    private readonly most = MOST_STEPS,
  ) {
    if (most === 0) this.switchTo(true);
  }

  get propagates(): boolean {
    return this.isOn;
  }

  /** The instruction has met shadow. */
  met(address: number): void {
    if (this.known.add(address)) this.news.push(address);
  }

  /** An instruction has been executed alone, because of shadow. */
  stepped(): void {
    this.steps++;
    if (this.isOn) this.tell();
    else if (this.steps >= this.most) {
      const isMuch = this.outside.now() - this.since < WINDOW;
      this.beginCounting();
      if (isMuch) this.switchTo(true);
    }
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

  private tell(): void {
    if (this.news.length === 0 || this.steps < this.told + Math.min(STEPS_FOR_NEWS, this.most)) return;
    this.outside.remake(this.news);
    this.news = [];
    this.told = this.steps;
  }

  private beginCounting(): void {
    this.steps = this.told = 0;
    this.since = this.outside.now();
  }

  private switchTo(isOn: boolean): void {
    this.isOn = isOn;
    this.news = [];
    this.outside.setPropagation(isOn ? this.known : undefined);
  }
}
