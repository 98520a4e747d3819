/** Sockets of the host that the shell handed us as standard streams: little more than streams to us. */
import { MAX_TRANSFER } from '../files/fileConstants.js';
import { E } from '../../base/errno.js';
import { UNNAMED } from '../sockets/socketAddress.js';
import { AF, SO, SOCK, SOL_SOCKET } from '../sockets/socketConstants.js';
import { type OnForeign, writeAddress } from './socketAccess.js';
import { readFile, writeFile } from './transfer.js';

const VALUES = new Map<number, number>([[SO.TYPE, SOCK.STREAM], [SO.ERROR, 0], [SO.DOMAIN, AF.UNIX], [SO.PROTOCOL, 0], [SO.ACCEPTCONN, 0]]);

export const onForeign = {
  name: ((p, a) => writeAddress(p, a.addr(1), a.addr(2), UNNAMED)) satisfies OnForeign,

  getOption: ((p, a) => {
    const value = a.int(1) === SOL_SOCKET ? VALUES.get(a.int(2)) : undefined;
    if (value === undefined) return -E.NOPROTOOPT;
    p.space.writeU32(a.addr(3), value);
    p.space.writeU32(a.addr(4), 4);
    return 0;
  }) satisfies OnForeign,

  send: ((p, a, file) => writeFile(p, file, p.buffer(a.addr(1), Math.min(a.addr(2), MAX_TRANSFER), 'read'))) satisfies OnForeign,
  receive: ((p, a, file) => readFile(p, file, a.addr(1), Math.min(a.addr(2), MAX_TRANSFER))) satisfies OnForeign,
};


