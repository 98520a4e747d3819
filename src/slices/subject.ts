/** What slices are made of: a debugger, or what another front end has in its place. */
import type { Debugger } from '../debugger/control/debugger.js';

export type SliceSubject = Pick<Debugger, 'execution' | 'position' | 'thread' | 'frame' | 'backtrace' | 'modules' | 'named' | 'instanceRun' | 'lastStop' | 'sources'>;
