/**
 * What there is to know of a socket that connects, so that another kernel can go on with it: plain values, and other
 * sockets by reference.
 */
import type { PeerCredentials } from './message.js';
import type { Socket, SocketKind } from './socket.js';
import type { InetAddress } from './socketAddress.js';

export interface OptionState {
  readonly values: readonly (readonly [number, number])[];
  /** In nanoseconds; null: none. */
  readonly receiveTimeout: number | null;
  readonly sendTimeout: number | null;
  readonly linger: { readonly on: boolean; readonly seconds: number };
  readonly receiveLowWater: number;
  readonly sendBuffer: number;
  readonly receiveBuffer: number;
  readonly sendBufferSet: boolean;
}

export type ConnectionState = 'closed' | 'listening' | 'connecting' | 'connected';

/** `Ref`: how others are named. */
export interface StreamState<Ref> {
  readonly kind: SocketKind;
  readonly creator: PeerCredentials;
  readonly state: ConnectionState;
  readonly receiveShut: boolean;
  readonly sendShut: boolean;
  readonly pendingError: number;
  readonly options: OptionState;
  readonly peer: Ref | null;
  /** Connections that wait to be accepted. */
  readonly pending: readonly Ref[];
  readonly backlog: number;
  readonly unix?: UnixState;
  readonly tcp?: TcpState;
}

export interface UnixState {
  readonly name: string;
  /** What its path leads to. */
  readonly inode: string | null;
  readonly peerIdentity: PeerCredentials | null;
  readonly closed: boolean;
}

export interface TcpState {
  readonly stage: 'none' | 'started' | 'done';
  readonly boundIp: string;
  readonly localIp: string;
  readonly localPort: number;
  readonly remote: InetAddress | null;
  readonly portChosen: boolean;
  readonly portBound: boolean;
  readonly finished: boolean;
  readonly peerLeft: boolean;
  readonly stoppedReading: boolean;
  readonly urgent: number | null;
  readonly inet: { readonly values: readonly (readonly [string, number])[]; readonly congestionControl: string };
  /** How many ports have been given out in turn. */
  readonly turn: number;
}

/** A socket that can be saved, and filled again from what was saved. */
export interface SavedStream extends Socket {
  /** Undefined if a process outside has to do with it, or it is about to be connected. */
  save<Ref>(refer: (socket: SavedStream) => Ref): StreamState<Ref> | undefined;
  /** Changes whenever calls that transfer bytes have changed what `save` would say. */
  readonly brief: string;
  readonly connectedWith: SavedStream | undefined;
  /** It is made, but knows no other socket yet. `resolve` may fill others in turn. */
  fill<Ref>(state: StreamState<Ref>, resolve: (ref: Ref) => SavedStream): void;
  /** What waits to be read. */
  put(bytes: Uint8Array): void;
  readonly waiting: number;
}
