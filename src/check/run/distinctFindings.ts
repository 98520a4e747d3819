/** The findings of a run, one for every place: what is suppressed is left out, and more of the same is counted. */
import type { Finding } from '../findings.js';
import { frameName, type ReportedFrame, shownFrames } from '../report/frames.js';
import { type Suppressible, type Suppression, suppressionOf } from '../report/suppressions.js';

/** A finding, and how often there was more of the same. */
export interface CountedFinding {
  readonly finding: Finding;
  again: number;
}

/** How often one instruction is looked at before what comes after that is taken for more of the same. */
const MOST_LOOKS = 1000;

export class DistinctFindings {
  /** In the order of time. */
  readonly all: CountedFinding[] = [];
  suppressed = 0;
  private readonly places = new Map<string, CountedFinding>();
  private readonly looks = new Map<string, { count: number; last: CountedFinding }>();
  /** Suppressions that name no frames: they apply before the stack is known. */
  private readonly stackless: readonly Suppression[];

  constructor(private readonly suppressions: readonly Suppression[]) {
    this.stackless = suppressions.filter(({ frames }) => frames.length === 0);
  }

  /** Whether nothing more has to be known of it, not even where it is. */
  isDealtWith(finding: Finding): boolean {
    if (this.isSuppressed(this.stackless, finding, [])) return true;
    const look = this.looks.get(instructionOf(finding));
    if (look === undefined || look.count < MOST_LOOKS) return false;
    look.last.again++;
    return true;
  }

  /** True: it is to be reported, and is the first at its place. */
  add(finding: Finding, stack: readonly ReportedFrame[]): boolean {
    if (this.isSuppressed(this.suppressions, finding, stack)) return false;
    const place = `${finding.firing.rule} ${placeKey(atEntry(finding) && stack[0]?.isUsers === true ? stack.slice(1) : stack)}`;
    const known = this.places.get(place);
    const counted = known ?? { finding, again: 0 };
    const instruction = instructionOf(finding);
    this.looks.set(instruction, { count: (this.looks.get(instruction)?.count ?? 0) + 1, last: counted });
    if (known !== undefined) {
      known.again++;
      return false;
    }
    this.places.set(place, counted);
    this.all.push(counted);
    return true;
  }

  /**
   * What was found when a process had ended. Its place, where the block was allocated, is looked up in the recording.
   */
  addAtEnd(finding: Finding): void {
    this.all.push({ finding, again: 0 });
  }

  /** Counts all of them: what is suppressed says nothing about what the next one will be. */
  private isSuppressed(suppressions: readonly Suppression[], finding: Finding, stack: readonly ReportedFrame[]): boolean {
    const isOne = suppressionOf(suppressions, suppressible(finding, stack)) !== undefined;
    if (isOne) this.suppressed++;
    return isOne;
  }
}

export function suppressible({ firing: { rule }, allocatedIn }: Finding, stack: readonly ReportedFrame[]): Suppressible {
  return { rule, allocatedIn, stack };
}

function instructionOf({ firing, rip }: Finding): string {
  return `${firing.rule} ${rip}`;
}

/** A function is about to be executed: what counts is who calls it. */
function atEntry({ occurrence: { kind } }: Finding): boolean {
  return kind === 'call' || kind === 'free';
}

/** The same for the same line of the user's code, and the same function that it calls. */
export function placeKey(stack: readonly ReportedFrame[]): string {
  const shown = shownFrames(stack);
  const own = shown.findIndex((frame) => frame.isUsers);
  return shown.slice(0, own + 1).map((frame) => `${frameName(frame)} ${lineOf(frame)}`).join(' ');
}

/** Of a library function that the user's code calls, the name alone counts. */
function lineOf({ calledAs, file, line, address }: ReportedFrame): string {
  if (calledAs !== undefined) return '';
  return line > 0 ? `${file}:${line}` : String(address);
}
