/**
 * The controlling terminal of the guest: which of its groups is in the foreground. The host's own idea
 * is left alone: for the host we are one process in one group. Ctrl-C comes to us, and we pass it on.
 */
import type { HostIdentity } from '../../host/host.js';

export class ControllingTerminal {
  /** The session whose terminal it is; 0 if it is nobody's. */
  session: number;
  foregroundGroup: number;

  constructor(identity: HostIdentity) {
    this.session = identity.session;
    this.foregroundGroup = identity.processGroup;
  }
}
