import { expect, it } from 'vitest';
import { Settings } from './settings.js';

function change(settings: Settings, line: string): void {
  const found = settings.find(line);
  if (found === undefined) throw new Error(`no setting: ${line}`);
  settings.set(found.setting, found.rest);
}

it('takes settings by the beginnings of their names', () => {
  const settings = new Settings();
  change(settings, 'lists 20');
  expect(settings.count('listsize')).toBe(20);
  change(settings, 'listsize unlimited');
  expect(settings.count('listsize')).toBe(Infinity);
  change(settings, 'confirm off');
  expect(settings.isOn('confirm')).toBe(false);
  change(settings, 'back past-m on');
  expect(settings.isOn('backtrace past-main')).toBe(true);
  expect(() => change(settings, 'disassembly-flavor arm')).toThrow('Undefined item: "arm".');
  expect(() => change(settings, 'confirm maybe')).toThrow('"on" or "off" expected.');
  expect(settings.find('nonsense 3')).toBeUndefined();
});
