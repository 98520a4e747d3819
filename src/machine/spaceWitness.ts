/**
 * Who wants to know what is done to an address space, so that it can be done again: the recorder.
 * Each method is called before the change, unless it says otherwise.
 */
import type { MappedSpace } from './addressSpaceMappings.js';
import type { HookAnswer } from './hooks.js';
import type { Mapping } from './mapping.js';
import type { View } from './views.js';

export interface SpaceWitness {
  /** The kernel or an analysis stores into the bytes, at once after this. */
  writing(space: MappedSpace, address: number, length: number): void;
  /** Called after it, with what has been stored: for who did not know before how much that would be. */
  wrote(space: MappedSpace, address: number, length: number): void;
  /** The kernel or an analysis looks at the bytes: what follows may depend on them. */
  reading(space: MappedSpace, address: number, length: number): void;
  mapping(space: MappedSpace, m: Mapping): void;
  unmapping(space: MappedSpace, start: number, length: number): void;
  protecting(space: MappedSpace, start: number, length: number, prot: number): void;
  settingInCopy(space: MappedSpace, start: number, length: number, inCopy: Mapping['inCopy']): void;
  /** Pages become zero. */
  discarding(space: MappedSpace, start: number, length: number): void;
  /** Pages become what the file has. */
  forgetting(space: MappedSpace, start: number, length: number): void;
  copyingPages(space: MappedSpace, from: number, to: number, length: number): void;
  /** The space, which is empty, becomes a copy of another one. */
  copyingSpace(space: MappedSpace, from: MappedSpace): void;
  clearing(space: MappedSpace): void;
  /** Memory is shown at addresses of its own, or no more. */
  viewing(space: MappedSpace, view: View): void;
  unviewing(space: MappedSpace, begin: number): void;
  /**
   * In the middle of a run, at a time: a handler has stood in for a function of the program's. True: there is so much
   * to remember that the run should stop soon.
   */
  stoodIn(space: MappedSpace, time: number, answer: HookAnswer, firstArgument: number): boolean;
  /** Pages of a shared mapping that were written are on their way to their file. */
  cleaning(space: MappedSpace, page: number): void;
  /** Called after it: pages [start, end) of `m` have been read from its file. */
  loaded(space: MappedSpace, m: Mapping, start: number, end: number): void;
  /** The size of a file matters now: pages beyond it do not exist. */
  measured(m: Mapping, size: number): void;
  /** Bytes that the program wrote through a mapping go to the file. */
  writingBack(m: Mapping, offset: number, bytes: Uint8Array): void;
}
