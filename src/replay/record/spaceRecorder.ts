/**
 * What is done to address spaces from outside the program: mappings, bytes stored and read, files loaded. While the
 * guest runs it does so itself, and will again.
 */
import { assert } from '../../base/assert.js';
import { STATE_BASE } from '../../layout/memoryMap.js';
import type { AddressSpace } from '../../machine/addressSpace.js';
import { linearOffset } from '../../machine/addressSpaceAccess.js';
import type { MappedSpace } from '../../machine/addressSpaceMappings.js';
import type { HookAnswer } from '../../machine/hooks.js';
import type { Mapping } from '../../machine/mapping.js';
import type { SpaceWitness } from '../../machine/spaceWitness.js';
import type { View } from '../../machine/views.js';
import type { Effect, RecordedMapping } from '../log/effects.js';
import { STOP_REGISTER_BYTES } from '../log/events.js';
import { RUN_WORDS } from '../log/registerWords.js';
import type { EventBuilder } from './eventBuilder.js';
import type { MappedObjects } from './mappedObjects.js';

export interface RecordedSpace {
  readonly id: number;
  /** The CPU state that comes with it, in place; views are dear to make. */
  readonly words: Uint32Array;
  readonly stopRegisters: Uint8Array;
  stackLimit: number;
  /** It has been cleared, which a replay need not know before it is used again. */
  cleared: boolean;
}

export class SpaceRecorder implements SpaceWitness {
  private readonly spaces = new Map<MappedSpace, RecordedSpace>();
  private anyCleared = false;

  constructor(
    private readonly event: EventBuilder,
    private readonly objects: MappedObjects,
  ) {}

  made(space: AddressSpace, id: number): void {
    const { u8, u32 } = space.linear;
    this.spaces.set(space, {
      id,
      words: u32.subarray(STATE_BASE >>> 2, (STATE_BASE >>> 2) + RUN_WORDS),
      stopRegisters: u8.subarray(STATE_BASE, STATE_BASE + STOP_REGISTER_BYTES),
      stackLimit: space.stackLimit, cleared: false,
    });
    space.witness = this;
  }

  record(space: MappedSpace): RecordedSpace {
    const record = this.spaces.get(space);
    assert(record !== undefined, 'every address space is known');
    return record;
  }

  /** Who runs on may see that they have been cleared. */
  confirmClears(): void {
    if (this.anyCleared) for (const cleared of this.spaces.keys()) this.confirmClear(cleared);
    this.anyCleared = false;
  }

  writing(space: MappedSpace, address: number, length: number): void {
    if (this.event.inGuest) return;
    this.confirmClear(space);
    this.event.inputs.writing(address, length);
    this.event.writes.announce(space, address, length);
  }

  wrote(space: MappedSpace, address: number, length: number): void {
    if (this.event.inGuest) return;
    this.confirmClear(space);
    this.event.inputs.writing(address, length);
    this.event.writes.stored(space, address, length);
  }

  reading(space: MappedSpace, address: number, length: number): void {
    if (!this.event.inGuest) this.event.inputs.reading(space, this.record(space).id, address, length);
  }

  mapping(space: MappedSpace, m: Mapping): void {
    if (this.event.inGuest) return;
    const { file, ...rest } = m;
    const mapping: RecordedMapping = file === undefined ? rest : { ...rest, object: this.objects.idOf(file) };
    this.changed(space, (id) => ({ op: 'map', space: id, mapping }));
  }

  unmapping(space: MappedSpace, start: number, length: number): void {
    if (this.event.inGuest || space.isUnmapped(start, length)) return;
    this.changed(space, (id) => ({ op: 'unmap', space: id, start, length }));
  }

  protecting(space: MappedSpace, start: number, length: number, prot: number): void {
    this.changed(space, (id) => ({ op: 'protect', space: id, start, length, prot }));
  }

  settingInCopy(space: MappedSpace, start: number, length: number, inCopy: Mapping['inCopy']): void {
    this.changed(space, (id) => ({ op: 'inCopy', space: id, start, length, inCopy }));
  }

  discarding(space: MappedSpace, start: number, length: number): void {
    this.changed(space, (id) => ({ op: 'discard', space: id, start, length }));
  }

  forgetting(space: MappedSpace, start: number, length: number): void {
    this.changed(space, (id) => ({ op: 'forget', space: id, start, length }));
  }

  copyingPages(space: MappedSpace, from: number, to: number, length: number): void {
    this.changed(space, (id) => ({ op: 'copyPages', space: id, from, to, length }));
  }

  copyingSpace(space: MappedSpace, from: MappedSpace): void {
    this.changed(space, (id) => ({ op: 'copySpace', space: id, from: this.record(from).id }));
  }

  clearing(space: MappedSpace): void {
    this.event.settle();
    this.event.inputs.end();
    this.record(space).cleared = true;
    this.anyCleared = true;
  }

  viewing(space: MappedSpace, view: View): void {
    this.changed(space, (id) => ({ op: 'view', space: id, view: { ...view } }));
  }

  unviewing(space: MappedSpace, begin: number): void {
    this.changed(space, (id) => ({ op: 'unview', space: id, begin }));
  }

  stoodIn(_space: MappedSpace, time: number, answer: HookAnswer, firstArgument: number): boolean {
    return this.event.hooks.add(time, answer, firstArgument);
  }

  cleaning(space: MappedSpace, page: number): void {
    this.changed(space, (id) => ({ op: 'clean', space: id, page }));
  }

  loaded(space: MappedSpace, m: Mapping, start: number, end: number): void {
    if (m.file === undefined) return;
    const offset = linearOffset(start);
    this.objects.loaded(m.file, m.fileOffset + (start - m.start), space.linear.u8.subarray(offset, offset + (end - start)));
  }

  measured(m: Mapping, size: number): void {
    if (m.file !== undefined) this.objects.measured(m.file, size);
  }

  writingBack(m: Mapping, offset: number, bytes: Uint8Array): void {
    this.objects.writtenBack(m, offset, bytes);
  }

  private changed(space: MappedSpace, effect: (id: number) => Effect): void {
    if (this.event.inGuest) return;
    this.event.settle();
    this.event.inputs.end();
    this.confirmClear(space);
    this.event.add(effect(this.record(space).id));
  }

  private confirmClear(space: MappedSpace): void {
    const record = this.record(space);
    if (!record.cleared) return;
    record.cleared = false;
    this.event.add({ op: 'clear', space: record.id });
  }
}
