# fork, wait, pipes, backticks, system, signals.
use strict;
$| = 1;
my @children;
for my $i (1 .. 4) {
    my $pid = fork();
    if (!$pid) { exit $i }
    push @children, $pid;
}
for (@children) { waitpid($_, 0); print $? >> 8, "\n" }
pipe(my $read, my $write);
if (!fork) { close $read; print $write "from child\n" x 3; exit }
close $write;
print <$read>;
wait;
print `echo backtick`, $?, "\n";
system("exit 5");
print $? >> 8, "\n";
system("kill -9 \$\$");
print $? & 127, "\n";
open(my $sort, "|-", "sort") or die;
print $sort "$_\n" for qw(b c a);
close $sort;
open(my $list, "-|", "seq", 3) or die;
print map { $_ * 2 . "\n" } <$list>;
close $list;
my $ended = 0;
$SIG{CHLD} = sub { while (waitpid(-1, 1) > 0) { $ended++ } };
for (1 .. 3) { fork or exit 0 }
select(undef, undef, undef, 0.05) while $ended < 3;
print "ended $ended\n";
$SIG{CHLD} = 'DEFAULT';
my $pid = fork;
if (!$pid) { $SIG{TERM} = sub { exit 8 }; kill USR1 => getppid; sleep 10; exit 1 }
my $up = 0;
local $SIG{USR1} = sub { $up = 1 };
select(undef, undef, undef, 0.05) until $up;
kill TERM => $pid;
waitpid($pid, 0);
print $? >> 8, "\n";
eval { local $SIG{ALRM} = sub { die "alarm\n" }; alarm 1; wait; sleep 5 };
print $@;
exec "echo", "last";
