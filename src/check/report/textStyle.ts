/** Emphasis in reports: by colours on terminals, and none elsewhere. */
import type { Severity } from '../../rules/language/ast.js';

export interface TextStyle {
  severity(severity: Severity, text: string): string;
  strong(text: string): string;
  faint(text: string): string;
  mark(text: string): string;
}

const same = (text: string): string => text;

export const plainStyle: TextStyle = { severity: (_, text) => text, strong: same, faint: same, mark: same };

const escaped = (code: string) => (text: string): string => `\u001b[${code}m${text}\u001b[0m`;
const SEVERITY_CODES: Readonly<Record<Severity, string>> = { error: '1;31', warning: '1;35', note: '1;36' };

export const colourStyle: TextStyle = { severity: (severity, text) => escaped(SEVERITY_CODES[severity])(text), strong: escaped('1'), faint: escaped('2'), mark: escaped('1;32') };
