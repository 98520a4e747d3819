/** /dev/null and /dev/zero: what is written there is gone, and no code has looked at it. */
import { StreamFile } from './streamFile.js';

export class NullFile extends StreamFile {
  override get takesAnything(): boolean {
    return true;
  }

  override write(bytes: Uint8Array): number {
    return bytes.length;
  }

  override writeAt(bytes: Uint8Array): number {
    return bytes.length;
  }
}

export class ZeroFile extends NullFile {
  override get mapsZeros(): boolean {
    return true;
  }

  override read(target: Uint8Array): number {
    target.fill(0);
    return target.length;
  }

  override readAt(target: Uint8Array): number {
    return this.read(target);
  }
}
