/**
 * The files that the measured programs work on. All come from one generator with a fixed seed, so that
 * every machine measures the same work and nothing large lies in the repository.
 */
import { writeFileSync } from 'node:fs';

/** A generator of numbers in [0, n): xorshift32. */
export function numbers(seed) {
  let x = seed;
  return (n) => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return (x >>> 0) % n;
  };
}

/** Words with the skew of a natural language: short ones often, long ones seldom. */
function vocabulary(next, size) {
  const syllables = ['an', 'be', 'cor', 'de', 'el', 'fi', 'gra', 'ho', 'in', 'ka', 'lo', 'mi', 'no', 'per', 'qui', 'ra', 'ster', 'ti', 'un', 'ver'];
  return Array.from({ length: size }, (_, i) =>
    Array.from({ length: 1 + next(1 + Math.min(4, i >> 4)) }, () => syllables[next(syllables.length)]).join(''),
  );
}

export function writeText(path, bytes) {
  const next = numbers(1234567);
  const words = vocabulary(next, 2000);
  const lines = [];
  for (let length = 0; length < bytes; ) {
    const line = Array.from({ length: 6 + next(8) }, () => words[Math.min(next(2000), next(2000), next(2000))]).join(' ');
    lines.push(line);
    length += line.length + 1;
  }
  writeFileSync(path, `${lines.join('\n')}\n`);
}

export function writeRecords(path, count) {
  const next = numbers(987654321);
  const words = vocabulary(next, 5000);
  const lines = Array.from({ length: count }, (_, i) => `${words[next(5000)]}${words[next(5000)]}\t${next(1000000)}\t${i}`);
  writeFileSync(path, `${lines.join('\n')}\n`);
}

export function writeSql(path, rows) {
  writeFileSync(path, `
create table customer(id integer primary key, name text, city integer);
create table orders(id integer primary key, customer integer, cents integer, note text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows / 10})
  insert into customer select i, 'name' || (i * 7919 % 1009), i * 31 % 50 from n;
with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows})
  insert into orders select i, 1 + i * 7907 % ${rows / 10}, i * 104729 % 9973, 'note ' || (i % 83) from n;
create index by_customer on orders(customer);
create index by_note on orders(note, cents);
select city, count(*), sum(cents), round(avg(cents), 3) from orders join customer on customer.id = customer group by city order by 3 desc limit 5;
select name, max(cents) from customer, orders where orders.customer = customer.id and name like '%7' group by name order by 2, 1 limit 5;
select count(distinct note), sum(length(note)), group_concat(distinct substr(note, 6, 1)) from orders where cents > 5000;
update orders set cents = cents + 1 where customer % 3 = 0;
delete from orders where note in (select note from orders group by note having count(*) % 2 = 1);
select count(*), sum(cents), total(id) from orders;
`);
}

const FUNCTIONS = [
  (n, k) => `
struct cell_${n} { struct cell_${n} *next; unsigned key; long value[${1 + (k % 5)}]; };
static struct cell_${n} *buckets_${n}[${64 << (k % 3)}];
long lookup_${n}(unsigned key, long delta) {
  unsigned slot = (key * ${k * 2 + 1}u >> 7) % ${64 << (k % 3)};
  for (struct cell_${n} *c = buckets_${n}[slot]; c; c = c->next) {
    if (c->key == key) { c->value[${k % (1 + (k % 5))}] += delta; return c->value[0]; }
    if (c->key > key + ${k}) break;
  }
  return -1;
}`,
  (n, k) => `
int scan_${n}(const char *s, char *out, int size) {
  int state = 0, used = 0, depth = ${k % 7};
  for (; *s && used < size - 4; s++) {
    switch (state) {
      case 0: if (*s == '"') state = 1; else if (*s == '/' && s[1] == '*') { state = 2; s++; } else if (*s >= '0' && *s <= '9') { depth = depth * 10 + (*s - '0'); state = 3; } else out[used++] = *s; break;
      case 1: if (*s == '\\\\' && s[1]) out[used++] = *++s; else if (*s == '"') state = 0; else out[used++] = *s ^ ${k & 31}; break;
      case 2: if (*s == '*' && s[1] == '/') { s++; state = 0; } break;
      case 3: if (*s < '0' || *s > '9') { out[used++] = (char)(depth & 127); state = 0; s--; } else depth = depth * 10 + (*s - '0'); break;
    }
  }
  out[used] = 0;
  return state == 0 ? used : -state;
}`,
  (n, k) => `
void blend_${n}(unsigned char *to, const unsigned char *from, int width, int height, int alpha) {
  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++) {
      int old = to[y * width + x], new = from[(y + ${k % 3}) * width + x];
      int v = (old * (255 - alpha) + new * alpha + ${k % 128}) >> 8;
      to[y * width + x] = v < 0 ? 0 : v > 255 ? 255 : (unsigned char)v;
    }
  }
}`,
  (n, k) => `
double series_${n}(double x, int terms) {
  double sum = ${k % 10}.5, power = 1, factor = 1;
  for (int i = 1; i <= terms; i++) {
    power *= x; factor *= i + ${(k % 4) + 1};
    sum += (i & 1 ? power : -power) / factor;
    if (power / factor < 1e-12 && power / factor > -1e-12) break;
  }
  return sum > 1e9 ? 1e9 : sum;
}
static int order_${n}(const int *a, int lo, int hi) {
  int pivot = a[(lo + hi) / 2], i = lo, j = hi;
  while (i <= j) { while (a[i] < pivot) i++; while (a[j] > pivot) j--; if (i <= j) { i++; j--; } }
  return i + series_${n}(pivot, ${3 + (k % 9)});
}
int rank_${n}(int *a, int count) {
  int best = 0;
  for (int lo = 0; lo + ${4 + (k % 8)} < count; lo += ${1 + (k % 3)}) best += order_${n}(a, lo, lo + ${4 + (k % 8)});
  return best;
}`,
];

/** C of everyday kinds for the compiler to chew; needs no headers. */
export function writeCSource(path, functions) {
  const next = numbers(55555);
  const bodies = Array.from({ length: functions }, (_, n) => FUNCTIONS[n % FUNCTIONS.length](n, next(1000)));
  writeFileSync(path, `${bodies.join('\n')}\n`);
}
