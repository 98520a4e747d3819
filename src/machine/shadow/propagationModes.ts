/**
 * Decides whether generated code propagates shadow by itself. Code that does has to be made first; but in code that
 * only looks out for shadow, instructions that meet some are executed one by one, which takes a thousand times as long.
 * What comes out is the same.
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

interface Outside {
  now(): number;
  setPropagation(met: MetInstructions): void;
  remake(addresses: Iterable<number>): void;
}

export class PropagationModes {
  private isOn = false;
  private steps = 0;
  /** When counting began. */
  private since = 0;
  private readonly known = new MetInstructions();
  /** Those that code does not know of, and how many steps there were when the last were told. */
  private news: number[] = [];
  private told = 0;

  constructor(
    private readonly outside: Outside,
    private readonly most = MOST_STEPS,
  ) {
    if (most === 0) this.begin();
  }

  get propagates(): boolean {
    return this.isOn;
  }

  /** The instruction has met shadow, and perhaps handed it on. */
  met(address: number, handsOn: boolean): void {
    if (this.known.add(address, handsOn)) this.news.push(address);
  }

  /** An instruction has been executed alone, because of shadow. */
  stepped(): void {
    this.steps++;
    if (this.isOn) this.tell();
    else if (this.steps >= this.most) {
      const isMuch = this.outside.now() - this.since < WINDOW;
      this.beginCounting();
      if (isMuch) this.begin();
    }
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

  private begin(): void {
    this.isOn = true;
    this.news = [];
    this.outside.setPropagation(this.known);
  }
}
