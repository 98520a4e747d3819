/** The places of the program's code that a log of spots names by number (spotOps.ts), each described once. */

export type SpotKind = 'store' | 'pass' | 'call' | 'return';

export interface SpotSite {
  readonly kind: SpotKind;
  /** Of the instruction. */
  readonly instruction: number;
  /** Instructions of its block from it on: the ticks do not have them any more when it is executed. */
  readonly unretired: number;
}

export class SpotSites {
  private readonly sites: SpotSite[] = [];
  private readonly byInstruction = new Map<number, number[]>();

  get(number: number): SpotSite {
    return this.sites[number] as SpotSite;
  }

  numberOf(kind: SpotKind, instruction: number, unretired: number): number {
    const there = this.byInstruction.get(instruction) ?? [];
    const known = there.find((number) => this.get(number).kind === kind && this.get(number).unretired === unretired);
    if (known !== undefined) return known;
    const number = this.sites.push({ kind, instruction, unretired }) - 1;
    this.byInstruction.set(instruction, [...there, number]);
    return number;
  }
}
