/** Notes: small typed records, among them the build id. */
export interface Note {
  readonly owner: string;
  readonly type: number;
  readonly data: Uint8Array;
}

const NT_GNU_BUILD_ID = 3;

/** The notes of one segment or section. Stops at the first that does not fit: notes are never essential. */
export function parseNotes(bytes: Uint8Array, align: number): Note[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const step = align === 8 ? 8 : 4;
  const notes: Note[] = [];
  let at = 0;
  while (at + 12 <= bytes.length) {
    const [nameSize, dataSize] = [view.getUint32(at, true), view.getUint32(at + 4, true)];
    const dataAt = roundUp(at + 12 + nameSize, step);
    if (dataAt + dataSize > bytes.length) break;
    const name = bytes.subarray(at + 12, at + 12 + Math.max(nameSize - 1, 0));
    notes.push({
      owner: String.fromCharCode(...name.subarray(0, 64)),
      type: view.getUint32(at + 8, true),
      data: bytes.subarray(dataAt, dataAt + dataSize),
    });
    at = roundUp(dataAt + dataSize, step);
  }
  return notes;
}

export function buildIdOf(notes: readonly Note[]): string | undefined {
  const note = notes.find((n) => n.owner === 'GNU' && n.type === NT_GNU_BUILD_ID);
  if (note === undefined) return undefined;
  return Array.from(note.data, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function roundUp(n: number, step: number): number {
  return Math.ceil(n / step) * step;
}
