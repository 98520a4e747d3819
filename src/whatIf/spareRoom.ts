/**
 * Where changed code goes that does not fit where it belongs: the rest of a module's last page of code, which is mapped
 * and holds nothing. All changes of a list of alterations share it.
 */
import { pageCeil } from '../base/types.js';
import { PF } from '../elf/elfHeader.js';
import type { LoadedModule } from '../debugger/program/modules.js';

const ALIGNMENT = 16;

/** The rest of a page. */
export class SpareRoom {
  constructor(
    private at: number,
    private readonly end: number,
  ) {}

  /** Where the next code goes. */
  get next(): number {
    return this.at;
  }

  /** Where `length` bytes go; undefined if there is no room for them. */
  take(length: number): number | undefined {
    const { at } = this;
    if (at + length > this.end) return undefined;
    this.at = aligned(at + length);
    return at;
  }
}

export class SpareRooms {
  private readonly rooms = new Map<LoadedModule, SpareRoom>();

  of(module: LoadedModule): SpareRoom {
    let room = this.rooms.get(module);
    if (room === undefined) this.rooms.set(module, (room = roomOf(module)));
    return room;
  }
}

function roomOf(module: LoadedModule): SpareRoom {
  const segment = module.file.elf.loads.find(({ flags }) => (flags & PF.X) !== 0);
  if (segment === undefined) return new SpareRoom(0, 0);
  const start = Number(module.bias) + segment.address + segment.memorySize;
  return new SpareRoom(aligned(start), pageCeil(start));
}

function aligned(address: number): number {
  return Math.ceil(address / ALIGNMENT) * ALIGNMENT;
}
