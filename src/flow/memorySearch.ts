/**
 * Who put into memory what is there at some time: an instruction, the kernel, or nothing since the program was loaded.
 * A value that was written in pieces (byte by byte, say) is put together again if its pieces were copied from one
 * place.
 */
import { guestAddr } from '../base/types.js';
import { RAX, RSP } from '../layout/cpuState.js';
import { at, type Position } from '../replay/log/position.js';
import type { Block } from '../ir/ir.js';
import { type Hit, type MemoryRange, memoryRange } from '../replay/timeline/conditions.js';
import type { Execution } from '../replay/timeline/execution.js';
import { isVariableAddress } from '../layout/viewAddresses.js';
import type { Work } from '../replay/timeline/work.js';
import { type ByteSource, bytesFrom, gather } from './copies/byteSources.js';
import { type Came, InstructionFlow } from './copies/instructionFlow.js';
import type { Place } from './copies/place.js';
import type { Instructions } from './instructions.js';
import type { OwnWrites } from './ownWrites.js';
import type { Pieces } from './pieces.js';
import { contextRegister } from './registerSearch.js';
import { type Step, stepOf, wordPair } from './steps.js';

type MemoryPlace = Place & { readonly kind: 'memory' };

export type Writing =
  /** `since`: when the oldest piece was written, if there were several. */
  | { readonly kind: 'instruction'; readonly step: Step; readonly came: Came; readonly since: Position }
  | { readonly kind: 'kernel'; readonly step: Step; readonly syscall: number | undefined }
  /** Nothing: it came with the program's file, or with the memory. */
  | { readonly kind: 'initial' };

/** Pieces of one value that are looked for. */
const MOST_PIECES = 16;

export class MemorySearch {
  constructor(
    private readonly execution: Execution,
    private readonly instructions: Instructions,
    private readonly writes: OwnWrites,
    private readonly pieces: Pieces,
  ) {}

  /** What a thread sees there right before `position`. The execution moves. */
  async writing(seen: MemoryPlace, thread: number, position: Position, work?: Work): Promise<Writing> {
    const place = isVariableAddress(seen.address) ? await this.plainPlace(seen, thread, position, work) : seen;
    const hit = await this.writes.last([rangeOf(place)], thread, position, work);
    if (hit === undefined) return { kind: 'initial' };
    await this.execution.seek(hit.position, work);
    const step = stepOf(this.execution.state, hit.task);
    if (step === undefined) return { kind: 'initial' };
    if (hit.access?.by === 'kernel') return this.byKernel(place, hit, step, work);
    const came = this.cameTo(place, step);
    if (came.kind !== 'mixed') return { kind: 'instruction', step, came, since: hit.position };
    return this.inPieces(place, thread, { step, bytes: [...came.bytes], position: hit.position }, work);
  }

  /** A variable has addresses of its own for those who have pointers to it: all are one place. */
  private async plainPlace(place: MemoryPlace, thread: number, position: Position, work: Work | undefined): Promise<MemoryPlace> {
    await this.execution.seek(position, work);
    return { ...place, address: this.execution.state.plainAddress(thread, place.address) };
  }

  /** Where the execution stands. */
  private cameTo(place: MemoryPlace, step: Step): Came {
    const block = this.instructions.at(step.rip, step.code);
    const others = this.execution.state.variableAddresses(step.thread, place.address);
    for (const address of block === null ? [] : [place.address, ...others]) {
      const came = new InstructionFlow(block as Block, step).cameTo({ ...place, address });
      if (came.kind !== 'untouched') return came;
    }
    return { kind: 'made', terms: [] };
  }

  /** A signal's frame has the registers of who was interrupted: those are copies. */
  private async byKernel(place: MemoryPlace, hit: Hit, step: Step, work: Work | undefined): Promise<Writing> {
    for (const time of [step.time, step.time + 1]) {
      if (time > this.execution.endTime) break;
      await this.execution.seek(at(time), work);
      const words = this.execution.state.cpuWords(hit.task);
      const offset = words === undefined ? undefined : contextRegister(wordPair(words, RSP.offset) + 8, place.address);
      if (offset === undefined || !this.holds(place, step.words, offset)) continue;
      return { kind: 'instruction', step, came: { kind: 'copy', from: { kind: 'register', offset, size: place.size } }, since: hit.position };
    }
    const block = this.instructions.at(step.rip, step.code);
    return { kind: 'kernel', step, syscall: block?.end.kind === 'syscall' ? wordPair(step.words, RAX.offset) : undefined };
  }

  private holds({ address, size }: MemoryPlace, words: Uint32Array, offset: number): boolean {
    const bytes = this.execution.state.read(this.execution.state.current?.id ?? 0, address, size);
    const registers = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
    return bytes?.every((byte, i) => byte === registers[offset + i]) === true;
  }

  private async inPieces(place: MemoryPlace, thread: number, newest: { readonly step: Step; readonly bytes: ByteSource[]; readonly position: Position }, work: Work | undefined): Promise<Writing> {
    const { step } = newest;
    const own = bytesFrom(place);
    const bytes = await this.pieces.behindRegisters(newest.bytes, step, work);
    let since = newest.position;
    for (let pieces = 0; pieces < MOST_PIECES; pieces++) {
      const missing = bytes.flatMap((source, i) => {
        return source === own[i] ? [memoryRange(guestAddr(place.address + i), 1)] : [];
      });
      if (missing.length === 0) break;
      const hit = await this.writes.last(missing, thread, since, work);
      if (hit === undefined || hit.access?.by === 'kernel') break;
      await this.execution.seek(hit.position, work);
      const earlier = stepOf(this.execution.state, hit.task);
      if (earlier === undefined) break;
      const came = await this.pieces.behindRegisters(this.bytesOf(place, earlier), earlier, work);
      for (const [i, source] of came.entries()) if (bytes[i] === own[i]) bytes[i] = source;
      since = hit.position;
    }
    const gathered = gather(bytes);
    const came: Came = gathered.kind === 'copy' || gathered.kind === 'constant' ? gathered : { kind: 'mixed', bytes };
    return { kind: 'instruction', step, came, since };
  }

  /** Each byte of the place as the instruction leaves it. */
  private bytesOf(place: MemoryPlace, step: Step): readonly ByteSource[] {
    const block = this.instructions.at(step.rip, step.code);
    return block === null ? bytesFrom(place) : new InstructionFlow(block, step).bytesOf(place);
  }
}

function rangeOf({ address, size }: MemoryPlace): MemoryRange {
  return memoryRange(address, size);
}
