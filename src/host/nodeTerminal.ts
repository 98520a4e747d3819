/**
 * The host's terminal. Node itself can only switch raw mode on and off, so attributes are read and
 * written by `stty`, whose -g form carries the whole struct termios.
 */
import fs from 'node:fs';
import tty from 'node:tty';
import { E } from '../base/errno.js';
import type { HostFd, HostTerminal, TerminalAttributes } from './host.js';
import { processStat } from './nodeProc.js';
import { sttyGet, sttySet } from './nodePrograms.js';

const CONTROL_CHARACTERS = 19;
const STANDARD_FDS = [0, 1, 2];

/** What a fresh Linux terminal has: cooked, echoing, 38400 baud. */
function defaultAttributes(): TerminalAttributes {
  const characters = Uint8Array.from([3, 28, 127, 21, 4, 0, 1, 0, 17, 19, 26, 0, 18, 15, 23, 22, 0, 0, 0]);
  return { input: 0x500, output: 0x5, control: 0xbf, local: 0x8a3b, line: 0, characters };
}

export function parseStty(text: string): TerminalAttributes | undefined {
  const fields = text.split(':').map((field) => Number.parseInt(field, 16));
  if (fields.length < 4 + CONTROL_CHARACTERS || fields.some(Number.isNaN)) return undefined;
  const [input, output, control, local] = fields as [number, number, number, number];
  return { input, output, control, local, line: 0, characters: Uint8Array.from(fields.slice(4, 4 + CONTROL_CHARACTERS)) };
}

export function formatStty(attributes: TerminalAttributes, likeText: string): string {
  const { input, output, control, local, characters } = attributes;
  const count = likeText.split(':').length - 4;
  const padded = Array.from({ length: count }, (_, i) => characters[i] ?? 0);
  return [input, output, control, local, ...padded].map((field) => (field >>> 0).toString(16)).join(':');
}

export class NodeTerminal implements HostTerminal {
  /** stty's own text per descriptor, kept until the guest changes it: asking costs a process. */
  private readonly known = new Map<HostFd, string>();
  private keeps = false;
  private readonly screens = new Map<HostFd, tty.WriteStream>();

  isTerminal(fd: HostFd): boolean {
    return tty.isatty(fd);
  }

  attributes(fd: HostFd): TerminalAttributes | number {
    if (!tty.isatty(fd)) return -E.NOTTY;
    return parseStty(this.text(fd)) ?? defaultAttributes();
  }

  setAttributes(fd: HostFd, attributes: TerminalAttributes): number {
    if (!tty.isatty(fd)) return -E.NOTTY;
    const text = formatStty(attributes, this.text(fd));
    this.keepAtExit();
    this.known.clear();
    return sttySet(fd, text) ? 0 : -E.IO;
  }

  windowSize(fd: HostFd): { rows: number; columns: number } | number {
    if (!tty.isatty(fd)) return -E.NOTTY;
    const [columns, rows] = this.screen(fd).getWindowSize();
    return { rows, columns };
  }

  foregroundGroup(): number {
    return processStat('self').foregroundGroup;
  }

  /**
   * Node sets the terminal back to what it was when it ends; the guest natively would not. It spares
   * descriptors that are closed by then.
   */
  private keepAtExit(): void {
    if (this.keeps) return;
    this.keeps = true;
    process.once('exit', () => {
      for (const fd of STANDARD_FDS) if (tty.isatty(fd)) fs.closeSync(fd);
    });
  }

  private text(fd: HostFd): string {
    let text = this.known.get(fd);
    if (text === undefined) {
      text = sttyGet(fd) ?? '';
      this.known.set(fd, text);
    }
    return text;
  }

  /** On a descriptor of its own, because libuv makes the one it is given non-blocking. */
  private screen(fd: HostFd): tty.WriteStream {
    let screen = this.screens.get(fd);
    if (screen === undefined) {
      screen = new tty.WriteStream(fs.openSync(`/proc/self/fd/${fd}`, fs.constants.O_RDWR | fs.constants.O_NOCTTY));
      screen.unref();
      this.screens.set(fd, screen);
    }
    return screen;
  }
}
