/** `siginfo_t` as gdb has it for Linux on this processor: programs that handle no signals do not describe it. */
import { ATE } from '../../dwarf/dwarfConstants.js';
import type { StructType, Type } from '../../dwarf/types.js';
import { arrayOf, baseType, INT, LONG, pointerTo, structure, VOID } from './madeTypes.js';

const UINT = baseType('unsigned int', 4, ATE.UNSIGNED);
const SHORT = baseType('short', 2, ATE.SIGNED);
const POINTER = pointerTo(VOID);
const VALUE = structure('union', 'sigval_t', [['sival_int', INT], ['sival_ptr', POINTER]]);
const SENDER: readonly (readonly [string, Type])[] = [['si_pid', INT], ['si_uid', UINT]];

const FIELDS = structure('union', undefined, [
  ['_pad', arrayOf(INT, 28)],
  ['_kill', structure('struct', undefined, SENDER)],
  ['_timer', structure('struct', undefined, [['si_tid', INT], ['si_overrun', INT], ['si_sigval', VALUE]])],
  ['_rt', structure('struct', undefined, [...SENDER, ['si_sigval', VALUE]])],
  ['_sigchld', structure('struct', undefined, [...SENDER, ['si_status', INT], ['si_utime', LONG], ['si_stime', LONG]])],
  ['_sigfault', structure('struct', undefined, [['si_addr', POINTER], ['_addr_lsb', SHORT], ['_addr_bnd', structure('struct', undefined, [['_lower', POINTER], ['_upper', POINTER]])]])],
  ['_sigpoll', structure('struct', undefined, [['si_band', LONG], ['si_fd', INT]])],
  ['_sigsys', structure('struct', undefined, [['_call_addr', POINTER], ['_syscall', INT], ['_arch', UINT]])],
]);

export const SIGNAL_INFO: StructType = structure('struct', 'siginfo', [['si_signo', INT], ['si_errno', INT], ['si_code', INT], ['_sifields', FIELDS]]);
