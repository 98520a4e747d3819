/** Lines of source files as numbers, so that they can be compared at speed. 0 stands for code of no line. */
export class SourceLines {
  private readonly numbers = new Map<string, Map<number, number>>();
  private readonly places: { readonly path: string; readonly line: number }[] = [{ path: '', line: 0 }];

  numberOf(path: string, line: number): number {
    let lines = this.numbers.get(path);
    if (lines === undefined) this.numbers.set(path, (lines = new Map()));
    let number = lines.get(line);
    if (number === undefined) lines.set(line, (number = this.places.push({ path, line }) - 1));
    return number;
  }

  placeOf(number: number): { readonly path: string; readonly line: number } {
    return this.places[number] as { path: string; line: number };
  }
}
