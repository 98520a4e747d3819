/** /dev/random and /dev/urandom: what getrandom gives, as a file. */
import { StreamFile } from './streamFile.js';

export class RandomFile extends StreamFile {
  override read(target: Uint8Array): number {
    this.host.random(target);
    return target.length;
  }

  override readAt(target: Uint8Array): number {
    return this.read(target);
  }
}
