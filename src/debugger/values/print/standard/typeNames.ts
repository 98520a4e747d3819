/**
 * Names of types of the standard library without template arguments that are the usual ones: `std::vector<int>` for
 * `std::vector<int, std::allocator<int> >`. As gdb shows them, inner names first.
 */

/** How many arguments tell something: the others are left away if they are the usual ones. */
const TELLING: Readonly<Record<string, number>> = {
  'std::vector': 1, 'std::deque': 1, 'std::list': 1, 'std::__cxx11::list': 1, 'std::forward_list': 1, 'std::set': 1, 'std::multiset': 1, 'std::unordered_set': 1, 'std::unordered_multiset': 1,
  'std::map': 2, 'std::multimap': 2, 'std::unordered_map': 2, 'std::unordered_multimap': 2, 'std::unique_ptr': 1, 'std::stack': 1, 'std::queue': 1, 'std::priority_queue': 1,
};
const USUAL = /^std::(?:allocator|less|hash|equal_to|default_delete|deque|vector)</;
const STRINGS: Readonly<Record<string, string>> = { char: 'std::string', wchar_t: 'std::wstring', char16_t: 'std::u16string', char32_t: 'std::u32string', char8_t: 'std::u8string' };

interface Named {
  readonly template: string;
  readonly args: readonly string[];
  /** What stands behind it: `::iterator`, ` *`. */
  readonly rest: string;
}

export function shortName(name: string): string {
  const parsed = parse(name);
  if (parsed === undefined) return name;
  const { template, rest } = parsed;
  const args = parsed.args.map(shortName);
  if (/^std::(__cxx11::)?basic_string$/.test(template)) return `${STRINGS[args[0] ?? ''] ?? join(template, args)}${rest}`;
  const telling = TELLING[template];
  const isUsual = telling !== undefined && parsed.args.slice(telling).every((one) => USUAL.test(one));
  const shown = template.replace('std::__cxx11::', 'std::');
  if (isUsual) return `${join(shown, args.slice(0, telling))}${rest}`;
  return `${join(template, args, args.at(-1)?.endsWith('>') === true ? ' ' : '')}${rest}`;
}

/** Whether the name itself has a short form, not only names in it. */
export function hasShortName(name: string): boolean {
  const parsed = parse(name);
  return parsed !== undefined && (/^std::(__cxx11::)?basic_string$/.test(parsed.template) || TELLING[parsed.template] !== undefined);
}

/** What stands between the brackets; empty if it is no template. */
export function templateArgumentNames(name: string): readonly string[] {
  return parse(name)?.args ?? [];
}

function join(template: string, args: readonly string[], space = ''): string {
  return `${template}<${args.join(', ')}${space}>`;
}

/** Undefined if it is no template, or begins with something else. */
function parse(name: string): Named | undefined {
  const open = name.indexOf('<');
  if (open < 0 || !/^[\w:]+$/.test(name.slice(0, open))) return undefined;
  const args: string[] = [];
  let [depth, from] = [0, open + 1];
  for (let i = open; i < name.length; i++) {
    const c = name[i];
    if (c === '<' || c === '(') depth++;
    else if (c === '>' || c === ')') depth--;
    const isEnd = depth === 0;
    if (isEnd || (depth === 1 && c === ',')) {
      args.push(name.slice(from, i).trim());
      from = i + 1;
    }
    if (isEnd) return { template: name.slice(0, open), args, rest: name.slice(i + 1) };
  }
  return undefined;
}
