/** ioctl: what terminals answer, and the few requests that all files know. */
import { E } from '../../base/errno.js';
import type { TerminalAttributes } from '../../host/host.js';
import { O } from '../files/fileConstants.js';
import type { OpenFile, TerminalFile } from '../files/openFile.js';
import type { Process } from '../process.js';
import { Socket } from '../sockets/socket.js';
import { SIG } from '../../base/signalNumbers.js';
import type { SyscallFamily } from '../syscall.js';
import type { SyscallArgs } from '../syscallArgs.js';
import { controlSocket } from './socketControl.js';

const TERMINAL = {
  TCGETS: 0x5401, TCSETS: 0x5402, TCSETSW: 0x5403, TCSETSF: 0x5404, TCGETA: 0x5405, TCSBRK: 0x5409, TCXONC: 0x540a,
  TCFLSH: 0x540b, TIOCSCTTY: 0x540e, TIOCGPGRP: 0x540f, TIOCSPGRP: 0x5410, TIOCOUTQ: 0x5411, TIOCGWINSZ: 0x5413,
  TIOCSWINSZ: 0x5414, TIOCNOTTY: 0x5422, TCSBRKP: 0x5425, TIOCGSID: 0x5429, TCGETS2: 0x802c542a, TCSETS2: 0x402c542b,
  TCSETSW2: 0x402c542c, TCSETSF2: 0x402c542d, TIOCGPTN: 0x80045430,
} as const;
const FIONREAD = 0x541b;
const FIONBIO = 0x5421;
const FIOASYNC = 0x5452;
const FIONCLEX = 0x5450;
const FIGETBSZ = 2;
const FIOCLEX = 0x5451;

const CONTROL_CHARACTERS = 19;
const TERMIOS_SIZE = 36;
const TERMIOS2_SIZE = 44;
const BAUD_38400 = 38400;

function attributeBytes(attributes: TerminalAttributes, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  const { input, output, control, local, line, characters } = attributes;
  [input, output, control, local].forEach((flags, i) => view.setUint32(i * 4, flags, true));
  bytes[16] = line;
  bytes.set(characters.subarray(0, CONTROL_CHARACTERS), 17);
  if (size === TERMIOS2_SIZE) {
    view.setUint32(36, BAUD_38400, true);
    view.setUint32(40, BAUD_38400, true);
  }
  return bytes;
}

function readAttributes(p: Process, address: number): TerminalAttributes {
  const bytes = p.space.read(address, TERMIOS_SIZE);
  const view = new DataView(bytes.buffer);
  const word = (i: number): number => view.getUint32(i * 4, true);
  const characters = bytes.slice(17, 17 + CONTROL_CHARACTERS);
  return { input: word(0), output: word(1), control: word(2), local: word(3), line: bytes[16] as number, characters };
}

function getAttributes(p: Process, terminal: TerminalFile, address: number, size: number): number {
  const attributes = terminal.attributes();
  if (typeof attributes === 'number') return attributes;
  p.space.write(address, attributeBytes(attributes, size));
  return 0;
}

function getWindowSize(p: Process, terminal: TerminalFile, address: number): number {
  const size = terminal.windowSize();
  if (typeof size === 'number') return size;
  [size.rows, size.columns, 0, 0].forEach((n, i) => p.space.writeU16(address + i * 2, n));
  return 0;
}

function terminalControl(p: Process, terminal: TerminalFile, request: number, address: number): number {
  switch (request) {
    case TERMINAL.TCGETS:
      return getAttributes(p, terminal, address, TERMIOS_SIZE);
    case TERMINAL.TCGETS2:
      return getAttributes(p, terminal, address, TERMIOS2_SIZE);
    case TERMINAL.TCSETS:
    case TERMINAL.TCSETSW:
    case TERMINAL.TCSETSF:
    case TERMINAL.TCSETS2:
    case TERMINAL.TCSETSW2:
    case TERMINAL.TCSETSF2:
      return p.world.terminal.checkBackground(p, SIG.TTOU) || terminal.setAttributes(readAttributes(p, address));
    case TERMINAL.TIOCGWINSZ:
      return getWindowSize(p, terminal, address);
    case TERMINAL.TIOCGPGRP:
      if (!p.world.terminal.belongsTo(p)) return -E.NOTTY;
      p.space.writeU32(address, p.world.terminal.foregroundGroup);
      return 0;
    case TERMINAL.TIOCSPGRP:
      return p.world.terminal.setForeground(p, p.space.readI32(address));
    case TERMINAL.TIOCSCTTY:
      return p.world.terminal.take(p, address !== 0);
    case TERMINAL.TIOCNOTTY:
      return p.world.terminal.giveUp(p);
    case TERMINAL.TIOCGSID:
      if (!p.world.terminal.belongsTo(p)) return -E.NOTTY;
      p.space.writeU32(address, p.credentials.session);
      return 0;
    case TERMINAL.TIOCOUTQ:
      p.space.writeU32(address, 0);
      return 0;
    case TERMINAL.TCSBRK:
    case TERMINAL.TCSBRKP:
    case TERMINAL.TCXONC:
    case TERMINAL.TCFLSH:
    case TERMINAL.TIOCSWINSZ:
      return 0;
    default:
      return -E.NOTTY;
  }
}

function setFlag(p: Process, file: OpenFile, flag: number, address: number): number {
  const on = p.space.readI32(address) !== 0;
  file.flags = on ? file.flags | flag : file.flags & ~flag;
  return 0;
}

function blockSize(p: Process, file: OpenFile, address: number): number {
  const stat = file.stat();
  if (typeof stat === 'number' || (!file.isDirectory && !file.isMappable)) return -E.NOTTY;
  p.space.writeU32(address, stat.blockSize);
  return 0;
}

function control(p: Process, file: OpenFile, a: SyscallArgs): number {
  const [fd, request, address] = [a.int(0), a.uint(1), a.addr(2)];
  switch (request) {
    case FIOCLEX:
    case FIONCLEX:
      p.files.setCloseOnExec(fd, request === FIOCLEX);
      return 0;
    case FIONBIO:
      return setFlag(p, file, O.NONBLOCK, address);
    case FIOASYNC:
      setFlag(p, file, O.ASYNC, address);
      p.world.ioSignals.update(file, fd);
      return 0;
    case FIONREAD: {
      const available = file.available();
      // Of a file with a size it is the way to its end, which may lie behind.
      if (available < 0 && !file.isMappable) return available;
      p.space.writeU32(address, available >>> 0);
      return 0;
    }
    case FIGETBSZ:
      return blockSize(p, file, address);
    default:
      if (file instanceof Socket) return controlSocket(p, file, request, address) ?? -E.NOTTY;
      return file.terminal === undefined ? -E.NOTTY : terminalControl(p, file.terminal, request, address);
  }
}

export const ioctlCalls: SyscallFamily = {
  ioctl(p, a) {
    const file = p.files.get(a.int(0));
    return file === undefined || (file.flags & O.PATH) !== 0 ? -E.BADF : control(p, file, a);
  },
};
