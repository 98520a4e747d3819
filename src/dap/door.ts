/**
 * Who may ask for what. A client introduces itself first. Where anything on this machine can connect, it then has to
 * show a token before anything is run or opened: in `launch` or `attach`, for these are what users of editors can add
 * something to.
 */
import { UserError } from '../base/errors.js';
import type { Arguments } from './arguments.js';

/** Whether this is the token. Undefined: the client has started us, and needs none. */
export type TokenCheck = (token: string) => boolean;

/** What ends with a session does no harm to others. */
const ALWAYS: ReadonlySet<string> = new Set(['initialize', 'disconnect']);
const OPENING: ReadonlySet<string> = new Set(['launch', 'attach']);

export class Door {
  private isIntroduced = false;
  /** Whether it may ask for everything. */
  isOpen: boolean;
  /** A wrong token was shown: there is no second try. */
  isShut = false;

  constructor(private readonly isToken?: TokenCheck) {
    this.isOpen = isToken === undefined;
  }

  /** Throws a UserError if the client may not ask for that now. */
  check(command: string, args: Arguments): void {
    if (ALWAYS.has(command)) return;
    if (!this.isIntroduced) throw new UserError('the first request has to be "initialize"');
    if (this.isOpen) return;
    if (!OPENING.has(command)) throw new UserError('first "launch" or "attach", with the token');
    const token = args.value('token');
    this.isOpen = typeof token === 'string' && this.isToken?.(token) === true;
    this.isShut = !this.isOpen;
    if (this.isShut) throw new UserError(`${command}: "token" has to be what culprit dap printed when it started (or CULPRIT_DAP_TOKEN there)`);
  }

  /** It has said who it is, and was answered. */
  introduced(): void {
    this.isIntroduced = true;
  }
}
