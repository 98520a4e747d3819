import { readFileSync } from 'node:fs';
import { compileRuleFiles } from '../../src/rules/testing/ruleFiles.js';

export function readRuleFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** The rules of a file in rules/ with what it includes, by name. */
export function shippedRules(file: string) {
  return new Map(compileRuleFiles([`rules/${file}`], readRuleFile).map((compiled) => [compiled.rule.name, compiled]));
}
