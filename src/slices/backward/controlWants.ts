/**
 * What instances depend on for control: the branch, or the call, that the observer has found for their part of a block.
 */
import type { CodeInstruction } from '../trace/codeTable.js';
import { INSIDE } from '../trace/passages.js';
import { ASKED, type Layout, NO_REF } from '../trace/stretch.js';
import type { Standing } from './standing.js';

export class ControlWants {
  /** The part of the block whose parent is known, and what that is: its node, or a number below 0 of one before. */
  private parentPart = -1;
  private parentRef = NO_REF;
  private parentNode = 0;
  private parentTime = 0;

  constructor(private readonly at: Standing) {}

  /** Another block. */
  begin(): void {
    this.parentPart = -1;
  }

  /** The instance depends on what its part of the block depends on. */
  want(part: number, node: number): void {
    if (part !== this.parentPart) this.findParent(part);
    const { parentRef } = this;
    const { graph } = this.at;
    if (parentRef >= 0) {
      if (graph.lastParent(node) !== this.parentNode) graph.addControl(node, this.parentNode, this.parentTime);
    } else if (parentRef !== NO_REF) {
      const place = -2 - parentRef;
      const number = this.at.outerNumber(parentRef);
      if (graph.lastParent(node) === number) return;
      graph.setLastParent(node, number);
      this.at.outerSets[place] = this.at.wanters.union(this.at.outerSets[place] as number, this.at.wanters.of(node));
    }
  }

  private findParent(part: number): void {
    const { stretch } = this.at;
    const ref = stretch.parents[part] as number;
    this.parentPart = part;
    this.parentRef = ref;
    const { recorder } = this.at;
    if (ref < 0) {
      if (recorder.isGood) recorder.part(part - this.at.firstPart, -1, this.at.outerNumber(ref));
      return;
    }
    if (recorder.isGood) {
      if (ref >= this.at.firstBlock) recorder.part(part - this.at.firstPart, INSIDE, ref - this.at.firstBlock);
      else recorder.part(part - this.at.firstPart, stretch.layouts[ref] as number, stretch.sites[ref] as number);
    }
    this.at.control[ref] = (this.at.control[ref] as number) | ASKED;
    const { code } = stretch.layoutList[stretch.layouts[ref] as number] as Layout;
    this.parentTime = stretch.timeOf(ref) + code.length - 1;
    this.parentNode = this.at.options.nodeOf(code.instructions[code.length - 1] as CodeInstruction, stretch.sites[ref] as number, this.parentTime);
  }
}
