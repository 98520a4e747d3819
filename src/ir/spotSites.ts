/** The places of the program's code that a log of spots names by number (spotOps.ts), each described once. */

export type SpotKind = 'store' | 'pass' | 'call' | 'return';

export interface SpotSite {
  readonly kind: SpotKind;
  /** Of the instruction. */
  readonly instruction: number;
  /** Instructions of its block from it on: the ticks do not have them any more when it is executed. */
  readonly unretired: number;
}

const FACTOR = 1024;

export class SpotSites {
  private readonly sites: SpotSite[] = [];
  private readonly known = new Map<string, Map<number, number>>();

  get(number: number): SpotSite {
    return this.sites[number] as SpotSite;
  }

  numberOf(kind: SpotKind, instruction: number, unretired: number): number {
    let ofKind = this.known.get(kind);
    if (ofKind === undefined) this.known.set(kind, (ofKind = new Map<number, number>()));
    const key = instruction * FACTOR + unretired;
    let number = ofKind.get(key);
    if (number === undefined) ofKind.set(key, (number = this.sites.push({ kind, instruction, unretired }) - 1));
    return number;
  }
}
