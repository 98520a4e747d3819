/**
 * What travels beside the bytes of a message (struct cmsghdr): descriptors, credentials, and what a
 * receiver asked to be told (time of arrival, address it was sent to).
 */
import { E } from '../../base/errno.js';
import { O } from '../files/fileConstants.js';
import type { OpenFile } from '../files/openFile.js';
import type { Process } from '../process.js';
import { IP, IPV6 } from './inetOptions.js';
import { InetSocket } from './inetSocket.js';
import { bytes16OfIp, bytesOfIp, isV4 } from './ipAddress.js';
import { FilesInFlight, type Incoming, NO_CREDENTIALS, type PeerCredentials } from './message.js';
import type { Socket } from './socket.js';
import { AF, IPPROTO, MSG, SCM, SCM_MAX_FD, SO, SOL_SOCKET } from './socketConstants.js';

const HEADER = 16;
const UCRED_SIZE = 12;

export interface SentExtras {
  readonly credentials?: PeerCredentials;
  readonly files?: FilesInFlight;
}

function align(length: number): number {
  return Math.ceil(length / 8) * 8;
}

/** What a sender passes along. A number is an error. */
export function readControl(p: Process, socket: Socket, address: number, length: number): SentExtras | number {
  const view = viewOf(length === 0 ? new Uint8Array(0) : p.space.read(address, length));
  const files: OpenFile[] = [];
  let credentials: PeerCredentials | undefined;
  for (let at = 0; at + HEADER <= length; ) {
    const size = Number(view.getBigUint64(at, true));
    if (size < HEADER || at + size > length) return -E.INVAL;
    const [level, type] = [view.getInt32(at + 8, true), view.getInt32(at + 12, true)];
    const data = viewOf(new Uint8Array(view.buffer, at + HEADER, size - HEADER));
    at += align(size);
    if (level !== SOL_SOCKET || socket.kind.family !== AF.UNIX) continue;
    if (type === SCM.RIGHTS) {
      const result = collectFiles(p, data, files);
      if (result < 0) return result;
    } else if (type === SCM.CREDENTIALS) {
      const claimed = readCredentials(p, data);
      if (typeof claimed === 'number') return claimed;
      credentials = claimed;
    } else return -E.INVAL;
  }
  return { ...(credentials === undefined ? {} : { credentials }), ...(files.length === 0 ? {} : { files: new FilesInFlight(files) }) };
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

function collectFiles(p: Process, data: DataView, files: OpenFile[]): number {
  const count = data.byteLength >> 2;
  if (files.length + count > SCM_MAX_FD) return -E.INVAL;
  for (let i = 0; i < count; i++) {
    const file = p.files.get(data.getInt32(i * 4, true));
    if (file === undefined || (file.flags & O.PATH) !== 0) return -E.BADF;
    files.push(file);
  }
  return 0;
}

/** Only the privileged may claim to be another process. */
function readCredentials(p: Process, data: DataView): PeerCredentials | number {
  if (data.byteLength !== UCRED_SIZE) return -E.INVAL;
  const [pid, uid, gid] = [data.getInt32(0, true), data.getUint32(4, true), data.getUint32(8, true)];
  const { user, group, privileged } = p.credentials;
  const mine = (ids: typeof user, id: number): boolean => id === ids.real || id === ids.effective || id === ids.saved;
  if (!privileged && (pid !== p.pid || !mine(user, uid) || !mine(group, gid))) return -E.PERM;
  return { pid, uid, gid };
}

/** Writes control messages into the receiver's buffer as far as they fit. */
export class ControlWriter {
  /** Bytes written. */
  used = 0;
  /** MSG_CTRUNC if something did not fit. */
  flags = 0;

  constructor(
    private readonly p: Process,
    private readonly address: number,
    private readonly room: number,
  ) {}

  /** All that came with a message and that its receiver wants to know. */
  putAll(socket: Socket, incoming: Incoming, flags: number): void {
    this.putTimes(socket);
    if (socket.kind.family === AF.UNIX && socket.options.flag(SO.PASSCRED)) this.putCredentials(incoming.credentials ?? NO_CREDENTIALS);
    if (incoming.files !== undefined) this.putFiles(incoming.files, (flags & MSG.CMSG_CLOEXEC) !== 0, (flags & MSG.PEEK) !== 0);
    if (socket instanceof InetSocket) this.putAddresses(socket, incoming);
  }

  put(level: number, type: number, data: Uint8Array): void {
    const left = this.room - this.used;
    if (left < HEADER) {
      this.flags |= MSG.CTRUNC;
      return;
    }
    const length = Math.min(HEADER + data.length, left);
    if (length < HEADER + data.length) this.flags |= MSG.CTRUNC;
    this.putHeader(length, level, type);
    this.p.space.write(this.address + this.used + HEADER, data.subarray(0, length - HEADER));
    this.used += Math.min(align(length), left);
  }

  private putHeader(length: number, level: number, type: number): void {
    const at = this.address + this.used;
    this.p.space.writeNum64(at, length);
    this.p.space.writeU32(at + 8, level);
    this.p.space.writeU32(at + 12, type);
  }

  private putCredentials({ pid, uid, gid }: PeerCredentials): void {
    this.put(SOL_SOCKET, SCM.CREDENTIALS, words(pid, uid, gid));
  }

  /** The receiver gets descriptors of its own. */
  private putFiles(inFlight: FilesInFlight, closeOnExec: boolean, peek: boolean): void {
    const { files } = inFlight;
    const fits = Math.max(0, Math.floor((this.room - this.used - HEADER) / 4));
    const numbers: number[] = [];
    for (const file of files.slice(0, fits)) {
      const fd = this.p.files.add(file, closeOnExec);
      if (fd < 0) break;
      numbers.push(fd);
    }
    if (numbers.length < files.length) this.flags |= MSG.CTRUNC;
    if (numbers.length > 0) this.put(SOL_SOCKET, SCM.RIGHTS, words(...numbers));
    if (!peek) inFlight.drop();
  }

  private putTimes({ options }: Socket): void {
    if (!options.flag(SO.TIMESTAMP) && !options.flag(SO.TIMESTAMPNS)) return;
    const { seconds, nanoseconds } = this.p.clock.realtime();
    const fine = options.flag(SO.TIMESTAMPNS);
    const data = new Uint8Array(16);
    viewOf(data).setBigInt64(0, BigInt(seconds), true);
    viewOf(data).setBigInt64(8, BigInt(fine ? nanoseconds : Math.floor(nanoseconds / 1000)), true);
    this.put(SOL_SOCKET, fine ? SCM.TIMESTAMPNS : SCM.TIMESTAMP, data);
  }

  private putAddresses(socket: InetSocket, { to }: Incoming): void {
    if (to === undefined || (to.family !== AF.INET && to.family !== AF.INET6)) return;
    const { inet } = socket;
    const index = socket.network.interfaceOf(to.ip);
    if (inet.flag(IPPROTO.IP, IP.PKTINFO) && isV4(to.ip)) {
      this.put(IPPROTO.IP, IP.PKTINFO, Uint8Array.from([...words(index), ...bytesOfIp(to.ip), ...bytesOfIp(to.ip)]));
    }
    if (inet.flag(IPPROTO.IP, IP.RECVTTL) && isV4(to.ip)) this.put(IPPROTO.IP, IP.TTL, words(64));
    if (inet.flag(IPPROTO.IP, IP.RECVTOS) && isV4(to.ip)) this.put(IPPROTO.IP, IP.TOS, Uint8Array.of(0));
    if (socket.kind.family !== AF.INET6) return;
    if (inet.flag(IPPROTO.IPV6, IPV6.RECVPKTINFO)) this.put(IPPROTO.IPV6, IPV6.PKTINFO, Uint8Array.from([...bytes16OfIp(to.ip), ...words(index)]));
    if (inet.flag(IPPROTO.IPV6, IPV6.RECVHOPLIMIT)) this.put(IPPROTO.IPV6, IPV6.HOPLIMIT, words(64));
  }
}

function words(...values: number[]): Uint8Array {
  const data = new Uint8Array(values.length * 4);
  values.forEach((value, i) => viewOf(data).setUint32(i * 4, value >>> 0, true));
  return data;
}

