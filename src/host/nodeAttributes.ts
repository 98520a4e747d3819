/**
 * Extended attributes. Node has no calls for them, so perl makes them. To ask for each file apart would be far too
 * slow (`cp -a` asks for all), so one child tells about a whole directory, and what it told is good for as long
 * as a file's change time stays the same.
 */
import { E } from '../base/errno.js';
import { type BytePath, bytesOfBytePath } from '../base/bytePath.js';
import type { HostStat } from './host.js';
import { runHelper, seenByChild, systemCall } from './nodePrograms.js';

type Attributes = ReadonlyMap<string, Uint8Array>;

const SETXATTR = 188;
const REMOVEXATTR = 197;
/** The calls that do not follow links have the next numbers. */
const NOT_FOLLOWING = 1;
const MOST_KNOWN = 10_000;

/**
 * For a path (hexadecimal) and the files beside it, a line each: device, inode, change time, and either an error or
 * name=value in hexadecimal. llistxattr is 195, lgetxattr 192.
 */
const SCAN = `
my $path = pack("H*", shift); my $all = shift;
my @paths = ($path);
if ($all && $path =~ m{^(.*/)}s && opendir(my $d, $1)) { my $n = 0; for (readdir $d) { push @paths, "$1$_" if $n++ < 1000; } }
use Time::HiRes ();
for my $p (@paths) {
  my @s = Time::HiRes::lstat($p) or next;
  my @words = ("$s[0]:$s[1]", sprintf("%.6f", $s[10]));
  my $list = "\\0" x 65536; my $n = syscall(195, $p, $list, 65536);
  if ($n < 0) { push @words, "!" . ($! + 0); }
  else { for my $name (split /\\0/, substr($list, 0, $n)) {
    my $value = "\\0" x 65536; my $k = syscall(192, $p, $name, $value, 65536);
    push @words, unpack("H*", $name) . "=" . unpack("H*", substr($value, 0, $k)) if $k >= 0; } }
  print "@words\\n";
}`;

export class NodeAttributes {
  private known = new Map<string, { readonly changed: string; readonly attributes: Attributes | number }>();

  /** `path` is that of the file itself, no link; `stat` is what is known of it. */
  of(path: BytePath, stat: HostStat): Attributes | number {
    const key = `${stat.device}:${stat.inode}`;
    const changed = changeTime(stat);
    const found = this.known.get(key);
    if (found?.changed === changed) return found.attributes;
    this.scan(path);
    return this.known.get(key)?.attributes ?? -E.OPNOTSUPP;
  }

  set(path: BytePath, name: BytePath, value: Uint8Array, flags: number, followLinks: boolean): number {
    const call = SETXATTR + (followLinks ? 0 : NOT_FOLLOWING);
    return this.changing(systemCall([call, seenByChild(path), bytesOfBytePath(name), value, value.length, flags]));
  }

  remove(path: BytePath, name: BytePath, followLinks: boolean): number {
    return this.changing(systemCall([REMOVEXATTR + (followLinks ? 0 : NOT_FOLLOWING), seenByChild(path), bytesOfBytePath(name)]));
  }

  /** Times of changes are too coarse to tell two of them apart. */
  private changing(result: number): number {
    if (result === 0) this.known.clear();
    return result;
  }

  private scan(path: BytePath): void {
    if (this.known.size > MOST_KNOWN) this.known.clear();
    const hex = Buffer.from(seenByChild(path)).toString('hex');
    const beside = path.startsWith('/proc/self/fd/') ? '' : '1';
    const stdout = runHelper('perl', ['-e', SCAN, hex, beside], ['ignore', 'pipe', 'ignore'])?.stdout;
    for (const line of (stdout ?? '').split('\n')) this.note(line);
  }

  private note(line: string): void {
    const [key, changed, ...rest] = line.split(' ');
    if (key === undefined || changed === undefined) return;
    const failure = rest[0]?.startsWith('!') === true ? -Number(rest[0].slice(1)) : undefined;
    const pairs = rest.map((word) => word.split('=').map((part) => Buffer.from(part, 'hex')));
    const attributes = new Map(pairs.map(([name, value]) => [name?.toString('latin1') ?? '', new Uint8Array(value ?? [])]));
    this.known.set(key, { changed, attributes: failure ?? attributes });
  }
}

/** As the child prints it. */
function changeTime({ changed }: HostStat): string {
  return (changed.seconds + changed.nanoseconds / 1e9).toFixed(6);
}
