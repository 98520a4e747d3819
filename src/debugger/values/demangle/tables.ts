/** Letters of the Itanium C++ ABI: built-in types, operators, abbreviations of the standard library. */
export const BUILT_IN: Readonly<Record<string, string>> = {
  v: 'void', w: 'wchar_t', b: 'bool', c: 'char', a: 'signed char', h: 'unsigned char', s: 'short', t: 'unsigned short', i: 'int', j: 'unsigned int', l: 'long',
  m: 'unsigned long', x: 'long long', y: 'unsigned long long', n: '__int128', o: 'unsigned __int128', f: 'float', d: 'double', e: 'long double', g: '__float128', z: '...',
};

export const BUILT_IN_D: Readonly<Record<string, string>> = {
  d: 'decimal64', e: 'decimal128', f: 'decimal32', h: 'half', i: 'char32_t', s: 'char16_t', u: 'char8_t', a: 'auto', c: 'decltype(auto)', n: 'decltype(nullptr)',
};

/** How literals of a type end; others are written as casts. */
export const LITERAL_SUFFIX: Readonly<Record<string, string>> = { int: '', 'unsigned int': 'u', long: 'l', 'unsigned long': 'ul', 'long long': 'll', 'unsigned long long': 'ull' };

export const STANDARD: Readonly<Record<string, string>> = {
  t: 'std', a: 'std::allocator', b: 'std::basic_string', s: 'std::string', i: 'std::istream', o: 'std::ostream', d: 'std::iostream',
};

/** What constructors of the abbreviated classes are called. */
export const STANDARD_CLASS: Readonly<Record<string, string>> = {
  'std::allocator': 'allocator', 'std::basic_string': 'basic_string', 'std::string': 'basic_string', 'std::istream': 'basic_istream', 'std::ostream': 'basic_ostream',
  'std::iostream': 'basic_iostream',
};

export const STANDARD_FULL: Readonly<Record<string, string>> = {
  'std::string': 'std::basic_string<char, std::char_traits<char>, std::allocator<char> >', 'std::istream': 'std::basic_istream<char, std::char_traits<char> >',
  'std::ostream': 'std::basic_ostream<char, std::char_traits<char> >', 'std::iostream': 'std::basic_iostream<char, std::char_traits<char> >',
};

/** By code: how it is written, and how many operands it has in expressions. */
export const OPERATORS: Readonly<Record<string, readonly [string, number]>> = {
  nw: ['new', 0], na: ['new[]', 0], dl: ['delete', 0], da: ['delete[]', 0], aw: ['co_await', 1], ps: ['+', 1], ng: ['-', 1], ad: ['&', 1], de: ['*', 1], co: ['~', 1],
  pl: ['+', 2], mi: ['-', 2], ml: ['*', 2], dv: ['/', 2], rm: ['%', 2], an: ['&', 2], or: ['|', 2], eo: ['^', 2], aS: ['=', 2], pL: ['+=', 2], mI: ['-=', 2],
  mL: ['*=', 2], dV: ['/=', 2], rM: ['%=', 2], aN: ['&=', 2], oR: ['|=', 2], eO: ['^=', 2], ls: ['<<', 2], rs: ['>>', 2], lS: ['<<=', 2], rS: ['>>=', 2], eq: ['==', 2],
  ne: ['!=', 2], lt: ['<', 2], gt: ['>', 2], le: ['<=', 2], ge: ['>=', 2], ss: ['<=>', 2], nt: ['!', 1], aa: ['&&', 2], oo: ['||', 2], pp: ['++', 1], mm: ['--', 1],
  cm: [',', 2], pm: ['->*', 2], pt: ['->', 2], cl: ['()', 0], ix: ['[]', 2], qu: ['?', 3],
};

export const SPECIAL: Readonly<Record<string, string>> = {
  TV: 'vtable for ', TT: 'VTT for ', TI: 'typeinfo for ', TS: 'typeinfo name for ', TF: 'typeinfo fn for ', TH: 'TLS init function for ', TW: 'TLS wrapper function for ',
  GV: 'guard variable for ',
};
