/**
 * The execution under traces: goes to any time, and looks for what meets some conditions between two times, in either
 * direction. The driver of all searches does that (replay/timeline/searchDriver.ts), here without promises: scripts
 * call it in the middle of an expression. What is special about traces is that many questions are asked in turn: a
 * search for one of them tells the others what it has seen.
 */
import { at, type Position } from '../../replay/log/position.js';
import type { Condition, Hit } from '../../replay/timeline/conditions.js';
import type { Execution } from '../../replay/timeline/execution.js';
import { hitFor } from '../../replay/timeline/hitMeets.js';
import type { PartSearch, Search } from '../../replay/timeline/searchDriver.js';
import type { State } from '../../replay/timeline/state.js';
import { atOnce, type Steps, type WorkAtOnce } from '../../replay/timeline/steps.js';

/** Hits with `from <= time < to`: all there are. */
export interface FoundHits {
  readonly from: number;
  readonly to: number;
  readonly hits: readonly Hit[];
}

/** What a trace looks for. Searches of others tell it what they see on their way. */
export interface Question {
  /** With addresses that are good at all times (Execution.meaning). */
  readonly conditions: readonly Condition[];
  learn(found: FoundHits): void;
  /** Told of each hit of its own while the execution stands there. */
  readonly passing?: ((hit: Hit) => void) | undefined;
}

/** So many questions are looked for at once, those that were asked last; but none that has too many answers. */
const MOST_QUESTIONS = 48;
const MOST_HITS_ON_THE_WAY = 4096;

export class Playing {
  /** Changes whenever the program does. */
  generation = 0;
  /** How often a script looked at the program, and how often at what a search had read of it on its way (habits.ts). */
  looks = 0;
  foreseen = 0;
  /** Instructions that others executed to answer questions of ours. */
  elsewhere = 0;
  /** The one that was asked last first. Code is translated for all of them, so that it need not be again and again. */
  private asked: Asked[] = [];
  /** Those of all that are asked. */
  private conditions: readonly Condition[] = [];

  constructor(
    private readonly execution: Execution,
    private readonly work: WorkAtOnce = {},
    /** It is not looked at beyond that. */
    private readonly lastTime = Infinity,
  ) {}

  /** Instructions that were executed to answer questions. */
  get cost(): number {
    return this.execution.driver.played + this.elsewhere;
  }

  get start(): Position {
    return this.execution.start;
  }

  get endTime(): number {
    return Math.min(this.execution.endTime, this.lastTime);
  }

  /** What the program is where the execution stands: good until `generation` changes. */
  get state(): State {
    return this.execution.state;
  }

  /** Makes the execution stand there. */
  standAt(position: Position): void {
    const { driver } = this.execution;
    if (driver.isAt(position)) return;
    this.generation++;
    this.drive(driver.approach(position));
  }

  /** Makes it cheap to come back. */
  remember(position: Position): void {
    this.standAt(position);
    this.execution.driver.remember();
  }

  /** From `from` on until there are `most` hits, at most up to `to`. */
  forward(question: Question, from: number, to: number, most: number): FoundHits {
    if (from >= to) return { from, to, hits: [] };
    this.generation++;
    const own = this.ask(question);
    const search = this.search(() => (own.hits.length >= most ? 'stop' : 'go on'));
    const isDone = this.drive(this.execution.driver.forward(search, { from: at(from, 0), to: at(to, 0) })) === 'done';
    const reached = isDone ? to : (own.hits.at(-1)?.position.time ?? to - 1) + 1;
    // What else happens at the time of the last hit has not been seen.
    this.tellOthers(from, reached === to ? to : reached - 1);
    return { from, to: reached, hits: own.hits };
  }

  /** From `to` back to `from`, until a part between two checkpoints has some: all of that part. */
  backward(question: Question, from: number, to: number): FoundHits {
    if (from >= to) return { from, to, hits: [] };
    this.generation++;
    let own: Asked | undefined;
    const parts: PartSearch = {
      searchOf: () => {
        own = this.ask(question);
        return this.search(() => 'go on');
      },
      ended: (part) => {
        this.tellOthers(part.from.time, part.to.time);
        return own?.hits.length === 0 ? 'go on' : 'stop';
      },
    };
    const { time } = this.drive(this.execution.driver.backward({ from: at(from, 0), to: at(to, 0) }, parts));
    const hits = own?.hits ?? [];
    return { from: hits.length === 0 ? from : time, to, hits };
  }

  private drive<T>(steps: Steps<T>): T {
    return atOnce(steps, this.work);
  }

  /** Puts it before those that were asked lately. */
  private ask(question: Question): Asked {
    const known = this.asked.find((asked) => asked.question === question);
    const others = this.asked.filter((asked) => asked !== known && asked.hits.length <= MOST_HITS_ON_THE_WAY);
    const isSame = known !== undefined && others.length === this.asked.length - 1;
    const own = known ?? new Asked(question);
    this.asked = [own, ...others].slice(0, MOST_QUESTIONS);
    if (!isSame) this.conditions = this.asked.flatMap((asked) => asked.question.conditions);
    for (const asked of this.asked) asked.hits = [];
    return own;
  }

  private search(answer: () => 'go on' | 'stop'): Search {
    const { conditions, asked } = this;
    const listener = (hit: Hit): 'go on' | 'stop' => {
      for (const one of asked) one.take(hit);
      return answer();
    };
    return { conditions, listener };
  }

  private tellOthers(from: number, to: number): void {
    if (from >= to) return;
    for (const { question, hits } of this.asked.slice(1)) question.learn({ from, to, hits: hits.filter(({ position }) => position.time < to) });
  }
}

/** A question, and what a search has seen that answers it. */
class Asked {
  hits: Hit[] = [];

  constructor(readonly question: Question) {}

  /** Of several things at one time the first counts. */
  take(found: Hit): void {
    if (this.hits.at(-1)?.position.time === found.position.time) return;
    const hit = hitFor(this.question.conditions, found);
    if (hit === undefined) return;
    this.hits.push(hit);
    this.question.passing?.(hit);
  }
}
