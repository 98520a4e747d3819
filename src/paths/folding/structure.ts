/**
 * What folding has to know of a source: which functions there are, and which lines are shown around a line that is on
 * a path (section 2.2.2 of the thesis): heads and ends of the blocks around it with their guards, lines with `else`,
 * and the head and end of its function. A block is around a line if it begins and ends on or around it.
 */
export interface CodeFunction {
  readonly name: string;
  /** The first line of its head, and its last line. */
  readonly from: number;
  readonly to: number;
  /** The lines of its head and its end. */
  readonly frame: readonly number[];
}

export interface CodeStructure {
  /** The innermost function around a line. */
  functionAt(line: number): CodeFunction | undefined;
  functionNamed(name: string): CodeFunction | undefined;
  /** Lines that are shown for the sake of a line, beside itself. */
  around(line: number): Iterable<number>;
}

/** A piece of code that is around lines, with those in it. */
export interface Block {
  readonly from: number;
  readonly to: number;
  /** Lines that are shown if a line in it is. */
  readonly frame: readonly number[];
  readonly function?: string;
  readonly inner: readonly Block[];
}

/** A structure made of blocks that are inside of each other; brothers are in the order of lines. */
export class BlockStructure implements CodeStructure {
  private readonly functions = new Map<string, CodeFunction>();

  constructor(private readonly blocks: readonly Block[]) {
    const waiting = [...blocks];
    for (let block = waiting.pop(); block !== undefined; block = waiting.pop()) {
      if (block.function !== undefined) this.functions.set(block.function, functionOf(block, block.function));
      waiting.push(...block.inner);
    }
  }

  functionAt(line: number): CodeFunction | undefined {
    const block = this.pathTo(line).findLast((one) => one.function !== undefined);
    return block?.function === undefined ? undefined : functionOf(block, block.function);
  }

  functionNamed(name: string): CodeFunction | undefined {
    const exact = this.functions.get(name);
    if (exact !== undefined) return exact;
    const end = `::${name}`;
    return [...this.functions.values()].find((one) => one.name.endsWith(end) || name.endsWith(`::${one.name}`));
  }

  around(line: number): number[] {
    const path = this.pathTo(line);
    const innermost = path.findLastIndex((one) => one.function !== undefined);
    return path.slice(Math.max(0, innermost)).flatMap(({ frame }) => frame);
  }

  /** All blocks around a line, the outermost first. Brothers may touch each other in a line. */
  private pathTo(line: number): Block[] {
    const path: Block[] = [];
    const waiting: Block[] = blocksAt(this.blocks, line).toReversed();
    for (let block = waiting.pop(); block !== undefined; block = waiting.pop()) {
      path.push(block);
      waiting.push(...blocksAt(block.inner, line).toReversed());
    }
    return path;
  }
}

function functionOf({ from, to, frame }: Block, name: string): CodeFunction {
  return { name, from, to, frame };
}

function blocksAt(blocks: readonly Block[], line: number): Block[] {
  let [low, high] = [0, blocks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (blocks[middle]!.to < line) low = middle + 1;
    else high = middle;
  }
  const found: Block[] = [];
  for (let i = low; i < blocks.length && blocks[i]!.from <= line; i++) if (blocks[i]!.to >= line) found.push(blocks[i]!);
  return found;
}
