use strict; use warnings;
# Regular expressions, sprintf, sorting, pack, local, closures, formats.
my $text = join ' ', map { "word$_ " . ($_ * 7919 % 1009) . ($_ % 3 ? ',' : '.') } 1 .. 500;
my %count; $count{$1 % 10}++ while $text =~ /(\d+)[,.]/g;
print join(' ', map { "$_=$count{$_}" } sort { $count{$b} <=> $count{$a} || $a <=> $b } keys %count), "\n";
(my $copy = $text) =~ s/(\w+?)(\d+)/uc($1) . sprintf('%04x', $2)/ge; print substr($copy, 0, 100), "\n";
print "balanced\n" if '((a)(b(c)))' =~ /^(\((?:[^()]++|(?1))*\))$/; print "$+{y}\n" if '2024-05' =~ /(?<y>\d+)-(?<m>\d+)/;
my @sorted = sort { $a->{n} <=> $b->{n} or $a->{s} cmp $b->{s} } map { { n => $_ * 31 % 17, s => chr(65 + $_ % 26) } } 0 .. 60;
print join(',', map { "$_->{n}$_->{s}" } @sorted), "\n";
printf "%s %5.2f %-6s| %03d %x %o %e %g %b %vd %.0f %s\n", 'str', 3.14159, 'left', 7, 255, 8, 12345.678, 1e-5, 10, '1.22.333', 2.5, 1e15 * 10;
print join(' ', unpack('N n C a3 w/a', pack('N n C a3 w/a', 0xdeadbeef, 513, 65, 'xyz', 'counted'))), "\n";
print unpack('H*', pack('d> f< q j U0U', 1.5, -0.1, -2, 3, 0x263a)), ' ', unpack('%32C*', $text), "\n";
my @closures = map { my $n = $_; sub { $n += shift // 1 } } 1 .. 3; $_->(10) for @closures; print join(' ', map { $_->() } @closures), "\n";
my %deep; $deep{$_ % 7}{$_ % 5}[$_ % 3] += $_ for 1 .. 1000;
for my $i (sort keys %deep) { print "$i: ", join(' ', map { my $j = $_; map { $_ // 0 } @{ $deep{$i}{$j} } } sort keys %{ $deep{$i} }), "\n" }
my %big = map { ("key$_" => $_ ** 2) } 1 .. 20_000; my $sum = 0; $sum += $_ for values %big; print scalar(keys %big), " $sum\n";
print join(' ', (reverse 'a' .. 'e'), lc 'ÄB', ucfirst 'x', 'abc' x 2, 'a' lt 'b', 10 <=> 9, '10' cmp '9', 7 % -3, -7 / 2, 2 ** 70, 1 / 3), "\n";
print 0.1 + 0.2, ' ', 1e21, ' ', 9007199254740993, ' ', 18446744073709551615, ' ', 0xff, ' ', int(-3.7), ' ', "3abc" * 1, "\n" if eval { no warnings; 1 };
our $global = 'outer'; sub show { $global } sub inner { local $global = 'inner'; show() } print inner(), show(), "\n";
eval { die { code => 42 } }; print "caught $@->{code}\n"; eval { my $z = 0; 1 / $z }; print $@;
open(my $fh, '<', \"line one\nline two\n") or die; while (<$fh>) { chomp; print "$.: $_\n" } close $fh;
my $s = 'aXbXc'; my @p = split /X/, $s, 2; print "@p[0,1] ", join('|', 'k=v;l=w' =~ /(\w)=(\w)/g), ' ', ($s =~ tr/X//), "\n";
print sprintf('%s', join ',', sort { $a <=> $b } (10, 9, 2, 33, 1)), ' ', wantarray() ? 'list' : 'not', "\n"; print STDERR "done\n"; exit 3;
