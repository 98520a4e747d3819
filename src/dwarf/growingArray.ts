/** Numbers that are appended one by one, without the garbage that growing arrays of JavaScript leave. */
type NumberArray = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

export class GrowingArray<A extends NumberArray> {
  length = 0;
  private array: A;

  constructor(private readonly make: (length: number) => A) {
    this.array = make(64);
  }

  push(value: number): void {
    if (this.length === this.array.length) this.grow();
    this.array[this.length++] = value;
  }

  at(index: number): number {
    return this.array[index] as number;
  }

  set(index: number, value: number): void {
    this.array[index] = value;
  }

  /** All values, in an array of just that length. */
  finish(): A {
    return this.array.slice(0, this.length) as A;
  }

  private grow(): void {
    const larger = this.make(this.array.length * 2);
    larger.set(this.array);
    this.array = larger;
  }
}
