/**
 * What functions do to set up and leave their frames, which is no dependence: registers that they keep for their
 * callers are passed through, from the restore to the save.
 */
import { RBP } from '../../layout/cpuState.js';
import type { LoggedAccess } from '../../ir/loggedBlocks.js';
import type { CodeBlock } from '../trace/codeTable.js';
import { FRAME, type Recipes } from '../trace/recipes.js';
import { UNIT_OF } from '../trace/units.js';
import { linearOf } from '../wants/memoryWants.js';
import { NO_WANTERS, SPLIT, type WanterSet } from '../wants/wanters.js';
import type { Standing } from './standing.js';

const EIGHT = [0, 1, 2, 3, 4, 5, 6, 7];

export class FrameWork {
  constructor(private readonly at: Standing) {}

  /** Whether the instruction is only the work of a function on its own frame. */
  pass(i: number, { frame, register }: Recipes, time: number): boolean {
    if (frame === FRAME.point) {
      if (this.at.recorder.isGood) for (const unit of [0, 1]) this.at.recorder.dropUnit((UNIT_OF[RBP.offset] as number) + unit);
      this.at.thread.clearUnit(UNIT_OF[RBP.offset] as number);
      this.at.thread.clearUnit((UNIT_OF[RBP.offset] as number) + 1);
      return true;
    }
    const { entry } = ((this.at.code as CodeBlock).accesses[i] as readonly LoggedAccess[])[0] as LoggedAccess;
    const slot = linearOf(this.at.stretch.addresses[this.at.addresses + entry] as number);
    if (frame === FRAME.save) return this.passSave(slot, entry, register);
    if (this.at.real.size === 0 || !this.at.real.has(time)) return this.passRestore(slot, entry, register, time);
    this.at.recorder.isGood = false;
    return false;
  }

  private passRestore(slot: number, entry: number, register: number, time: number): boolean {
    const { thread, restores } = this.at;
    const unit = UNIT_OF[register] as number;
    const low = thread.units[unit] as number;
    const high = thread.units[unit + 1] as number;
    if ((low | high) === NO_WANTERS) return true;
    if (low !== SPLIT && high !== SPLIT && !this.at.isCareful) {
      const tag = restores.common(register, low, high);
      if (this.at.recorder.isGood) this.at.recorder.restore(entry, register, unit);
      if (low !== NO_WANTERS) this.at.memory.add(slot, 4, tag);
      if (high !== NO_WANTERS) this.at.memory.add(slot + 4, 4, tag);
    } else {
      this.at.recorder.isGood = false;
      const wanted = EIGHT.map((k) => thread.at(register + k));
      const left = wanted.filter((set) => set !== NO_WANTERS).length;
      const tag = restores.add({ time, register, wanters: wanted, left });
      wanted.forEach((set, k) => set !== NO_WANTERS && this.at.memory.add(slot + k, 1, tag));
    }
    thread.clearUnit(unit);
    thread.clearUnit(unit + 1);
    return true;
  }

  /** Of those who want the saved bytes, the restores of the same register want the register. */
  private passSave(slot: number, entry: number, register: number): boolean {
    const { memory, recorder } = this.at;
    let [isWanted, isPlain] = [false, true];
    for (let k = 0; k < 8; ) {
      const word = memory.wordAt(slot + k);
      const isWord = ((slot | k) & 3) === 0 && word !== SPLIT;
      const set = isWord ? word : memory.at(slot + k);
      const rest = set === NO_WANTERS ? NO_WANTERS : this.passSaved(set, register, k, isWord);
      if (rest !== set) {
        if (isWord) memory.setWord(slot + k, rest);
        else memory.set(slot + k, rest);
      }
      if (rest !== NO_WANTERS) isWanted = true;
      if (!isWord) isPlain = false;
      k += isWord ? 4 : 1;
    }
    if (isWanted || !isPlain) recorder.isGood = false;
    else if (recorder.isGood) recorder.save(entry, register, UNIT_OF[register] as number);
    return !isWanted;
  }

  /** A byte or a word of it. Returns who wants it for another reason. */
  private passSaved(set: WanterSet, register: number, k: number, isWord: boolean): WanterSet {
    const { thread, restores } = this.at;
    const own = restores.tagsIn(set).filter((tag) => restores.get(tag).register === register);
    if (own.length === 0) return set;
    for (const tag of own) {
      const { wanters } = restores.get(tag);
      for (let byte = k; byte < (isWord ? k + 4 : k + 1); byte++) if (wanters[byte] !== NO_WANTERS) thread.add(register + byte, wanters[byte] as number);
      restores.found(tag, isWord ? 4 : 1);
    }
    return this.at.wanters.without(set, own);
  }
}
