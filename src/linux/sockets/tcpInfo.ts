/**
 * struct tcp_info (linux/tcp.h) of a connection that has no packets: state, timeouts and sizes a program may look at.
 */
import type { TcpSocket } from './tcpSocket.js';

const SIZE = 104;
const STATES = { connected: 1, connecting: 2, closed: 7, listening: 10 } as const;
const AT = { state: 0, options: 5, wscale: 6, rto: 8, ato: 12, sndMss: 16, rcvMss: 20, rtt: 68, rttvar: 72, ssthresh: 76, cwnd: 80, advmss: 84, rcvSpace: 96 } as const;
/** Timestamps, selective acknowledgements and window scaling. */
const OPTIONS = 7;
const CLOSE_WAIT = 8;
const FIN_WAIT2 = 5;

function stateNumber({ state, receiveShut, sendShut }: TcpSocket): number {
  if (state !== 'connected') return STATES[state];
  if (receiveShut && !sendShut) return CLOSE_WAIT;
  return sendShut ? FIN_WAIT2 : STATES.connected;
}

export function tcpInfo(socket: TcpSocket): Uint8Array {
  const view = new DataView(new ArrayBuffer(SIZE));
  const connected = socket.state === 'connected';
  view.setUint8(AT.state, stateNumber(socket));
  view.setUint8(AT.options, connected ? OPTIONS : 0);
  view.setUint8(AT.wscale, connected ? 0x77 : 0);
  view.setUint32(AT.rto, connected ? 201_000 : 1_000_000, true);
  view.setUint32(AT.ato, connected ? 40_000 : 0, true);
  view.setUint32(AT.sndMss, socket.segmentSize, true);
  view.setUint32(AT.rcvMss, 536, true);
  view.setUint32(AT.rtt, connected ? 20 : 0, true);
  view.setUint32(AT.rttvar, connected ? 10 : 250_000, true);
  view.setUint32(AT.ssthresh, 0x7fff_ffff, true);
  view.setUint32(AT.cwnd, 10, true);
  view.setUint32(AT.advmss, connected ? 65_483 : 0, true);
  view.setUint32(AT.rcvSpace, connected ? 65_495 : 0, true);
  return new Uint8Array(view.buffer);
}
