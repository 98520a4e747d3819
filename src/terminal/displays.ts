/** Expressions that are shown at every stop. */
export interface Display {
  readonly number: number;
  readonly expression: string;
  /** `/x` and the like, as it was typed; empty if none. */
  readonly format: string;
  enabled: boolean;
}

export class Displays {
  private list: Display[] = [];
  private next = 1;

  get all(): readonly Display[] {
    return this.list;
  }

  add(expression: string, format: string): Display {
    const made = { number: this.next++, expression, format, enabled: true };
    this.list.push(made);
    return made;
  }

  find(number: number): Display | undefined {
    return this.list.find((display) => display.number === number);
  }

  delete(number: number): void {
    this.list = this.list.filter((display) => display.number !== number);
  }

  clear(): void {
    this.list = [];
  }
}
