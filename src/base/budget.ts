/** How much of something may be used, and how much is: bytes of memory that a guest makes us keep. */
export class Budget {
  used = 0;

  constructor(readonly limit = Infinity) {}

  get left(): number {
    return this.limit - this.used;
  }

  /** False, and nothing is taken, if there is not as much left. */
  take(amount: number): boolean {
    if (amount > this.left) return false;
    this.used += amount;
    return true;
  }

  /** Also where there is not as much left: for what has happened already. */
  force(amount: number): void {
    this.used += amount;
  }

  giveBack(amount: number): void {
    this.used -= amount;
  }

  /** For a second view: what the two use from now on is counted apart. */
  copy(): Budget {
    const copy = new Budget(this.limit);
    copy.used = this.used;
    return copy;
  }
}
