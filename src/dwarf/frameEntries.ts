/**
 * Entries of .eh_frame and .debug_frame: descriptions of stretches of code (FDEs) and what they have in common (CIEs).
 */
import { DwarfReader } from './dwarfReader.js';
import type { SectionBytes } from './dwarfSections.js';
import { readLength, readPointer } from './pointerEncoding.js';
import { readInitialLength } from './unitHeader.js';

interface CommonFrame {
  readonly codeAlignment: number;
  readonly dataAlignment: number;
  readonly returnRegister: number;
  readonly pointerEncoding: number;
  /** Of the pointer that descriptions have to what only their language knows; undefined if they have none. */
  readonly languageEncoding: number | undefined;
  readonly hasAugmentation: boolean;
  /** The frame was made by the kernel to run a signal handler: its pc is exact, not after a call. */
  readonly isSignalFrame: boolean;
  /** Where its instructions are. */
  readonly start: number;
  readonly end: number;
}

export interface FrameDescription {
  readonly common: CommonFrame;
  readonly low: number;
  readonly high: number;
  /** Where the language's own table for it is (exceptionTable.ts), without load bias. */
  readonly languageData: number | undefined;
  readonly start: number;
  readonly end: number;
  readonly section: FrameSection;
}

/** The head of an entry, before it is known what it is. */
interface EntryHead {
  readonly end: number;
  readonly offsetSize: number;
  /** Offset of the common part that it belongs to; undefined if it is one. */
  readonly commonAt: number | undefined;
  readonly body: number;
}

export class FrameSection {
  private readonly reader: DwarfReader;
  private readonly commons = new Map<number, CommonFrame>();

  constructor(
    private readonly name: '.eh_frame' | '.debug_frame',
    private readonly contents: SectionBytes,
  ) {
    this.reader = new DwarfReader(name, contents.bytes);
  }

  get address(): number {
    return this.contents.address;
  }

  /** A cursor over instructions. */
  instructions(start: number, end: number): DwarfReader {
    return this.reader.at(start, end);
  }

  /** The description at an offset of the section; undefined if something else is there. */
  descriptionAt(offset: number): FrameDescription | undefined {
    const reader = this.reader.at(offset);
    const head = this.readHead(reader);
    return head?.commonAt === undefined ? undefined : this.readDescription(head, head.commonAt);
  }

  /** All descriptions, in the order of the section. */
  *descriptions(): Generator<FrameDescription> {
    const reader = this.reader.at(0);
    while (!reader.atEnd) {
      const head = this.readHead(reader);
      if (head === undefined) return;
      const description = head.commonAt === undefined ? undefined : this.readDescription(head, head.commonAt);
      if (description !== undefined) yield description;
      reader.position = head.end;
    }
  }

  private readHead(reader: DwarfReader): EntryHead | undefined {
    const { length, offsetSize } = readInitialLength(reader);
    if (length === 0) return undefined;
    reader.need(length);
    const at = reader.position;
    const end = at + length;
    const isEh = this.name === '.eh_frame';
    const id = isEh ? reader.u32() : reader.offset(offsetSize);
    const isCommon = isEh ? id === 0 : id === (offsetSize === 8 ? 2 ** 64 : 0xffff_ffff);
    return { end, offsetSize, commonAt: isCommon ? undefined : isEh ? at - id : id, body: reader.position };
  }

  private readDescription(head: EntryHead, commonAt: number): FrameDescription {
    const common = this.commonAt(commonAt);
    const body = this.reader.at(head.body, head.end);
    const low = readPointer(body, common.pointerEncoding, { section: this.address }) ?? 0;
    const length = readLength(body, common.pointerEncoding);
    const languageData = common.hasAugmentation ? this.readLanguageData(body, common) : undefined;
    return { common, low, high: low + length, languageData, start: body.position, end: head.end, section: this };
  }

  /** And goes past all of the augmentation. */
  private readLanguageData(body: DwarfReader, { languageEncoding }: CommonFrame): number | undefined {
    const length = body.uleb();
    body.need(length);
    const end = body.position + length;
    const found = languageEncoding === undefined || length === 0 ? undefined : readPointer(body, languageEncoding, { section: this.address });
    body.position = end;
    return found === 0 ? undefined : found;
  }

  private commonAt(offset: number): CommonFrame {
    const known = this.commons.get(offset) ?? this.readCommon(offset);
    this.commons.set(offset, known);
    return known;
  }

  private readCommon(offset: number): CommonFrame {
    const reader = this.reader.at(offset);
    const head = this.readHead(reader);
    if (head === undefined || head.commonAt !== undefined) return reader.fail('no common frame entry here', offset);
    const body = this.reader.at(head.body, head.end);
    const version = body.u8();
    if (version !== 1 && version !== 3 && version !== 4) body.fail(`frame entry of version ${version}`, offset);
    const augmentation = body.cString();
    if (version === 4) body.skip(2);
    const [codeAlignment, dataAlignment] = [body.uleb(), body.sleb()];
    const returnRegister = version === 1 ? body.u8() : body.uleb();
    const { pointerEncoding, languageEncoding, isSignalFrame } = this.readAugmentation(body, augmentation);
    const hasAugmentation = augmentation.startsWith('z');
    return { codeAlignment, dataAlignment, returnRegister, pointerEncoding, languageEncoding, isSignalFrame, hasAugmentation, start: body.position, end: head.end };
  }

  private readAugmentation(body: DwarfReader, augmentation: string): Pick<CommonFrame, 'pointerEncoding' | 'languageEncoding' | 'isSignalFrame'> {
    let [pointerEncoding, isSignalFrame] = [0, false];
    let languageEncoding: number | undefined;
    if (!augmentation.startsWith('z')) {
      if (augmentation !== '') body.fail(`frame entry with augmentation "${augmentation}"`);
      return { pointerEncoding, languageEncoding, isSignalFrame };
    }
    const length = body.uleb();
    body.need(length);
    const end = body.position + length;
    for (const letter of augmentation.slice(1)) {
      if (letter === 'R') pointerEncoding = body.u8();
      else if (letter === 'L') languageEncoding = body.u8();
      else if (letter === 'P') readPointer(body, body.u8(), { section: this.address });
      else if (letter === 'S') isSignalFrame = true;
      else if (letter !== 'B') break;
    }
    body.position = end;
    return { pointerEncoding, languageEncoding, isSignalFrame };
  }
}
