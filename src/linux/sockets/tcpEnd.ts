/** One end of a TCP connection as the other end sees it: another socket of the guest, or the outside. */
export interface TcpEnd {
  /** How many bytes it takes from a sender that may have `sendBuffer` bytes under way. */
  room(sendBuffer: number): number;
  /** Whether there is so much room that a sender should be told. */
  isWritable(sendBuffer: number): boolean;
  /** Whether it answers bytes by a reset, as it wants no more. */
  refuses(): boolean;
  /** Takes bytes; there is room. */
  take(bytes: Uint8Array): void;
  /** The other side will send no more (FIN). */
  finish(): void;
  /** The other side breaks off (RST). */
  reset(): void;
  /** The other side is closed: it takes nothing any more. */
  left(): void;
  /** The other side has read something: there is room again. */
  hasRead(): void;
}
