/** Registers of a frame: those of callers as far as unwinding tells. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { DWARF_REGISTERS } from '../debugger/program/programView.js';
import { REGISTER_NAMES } from '../replay/timeline/state.js';
import type { FrameReference } from './adapter.js';
import { type Container, type Page, paged } from './containers.js';

const ORDER = ['rax', 'rbx', 'rcx', 'rdx', 'rsi', 'rdi', 'rbp', 'rsp', 'r8', 'r9', 'r10', 'r11', 'r12', 'r13', 'r14', 'r15', 'rip', 'eflags'];
const NAMES = [...ORDER, ...REGISTER_NAMES.filter((name) => !ORDER.includes(name))];
const POINTERS = new Set(['rsp', 'rbp', 'rip']);

export function registerScope({ frame }: FrameReference): Container & { readonly named: number } {
  const valueOf = (name: string): string => {
    const number = DWARF_REGISTERS.indexOf(name);
    const value = number >= 0 ? frame.stack.register(number) : frame.program.register(name);
    return value === undefined ? '<not saved>' : `0x${value.toString(16)}`;
  };
  const shown = (name: string): DebugProtocol.Variable => {
    const value = valueOf(name);
    return { name, value, variablesReference: 0, evaluateName: `$${name}`, presentationHint: { kind: 'data' }, ...(POINTERS.has(name) && value.startsWith('0x') ? { memoryReference: value } : {}) };
  };
  return {
    named: NAMES.length,
    variables: (page: Page) => (page.filter === 'indexed' ? [] : paged(NAMES, page).map(shown)),
    expression: (name) => (NAMES.includes(name) ? `$${name}` : undefined),
  };
}
