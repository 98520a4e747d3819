# Pipelines, subshells, command substitution, here-documents, background jobs, traps: for any POSIX shell.
for i in 1 2 3; do (exit $i) || echo "subshell said $?"; done
echo one | tr a-z A-Z | sed 's/O/0/'
cat <<EOF | sort -r
b $((1 + 1))
a `echo inner`
c
EOF
x=$(for i in 3 1 2; do echo $i; done | sort | tr '\n' ' ')
echo "[$x]"
seq 1 20000 | awk '{ s += $1 } END { print s, NR }'
yes | head -2
(yes; echo "yes ended with $?" >&2) 2>&1 | head -1
true | false | exit 3
echo "pipeline $?"
{ echo out; echo err >&2; } 2>&1 | wc -l
a=1; (a=2; echo "in $a"); echo "out $a"
f() { echo "f $1"; return 3; }
f x | cat
f y || echo "returned $?"

trap 'echo usr1' USR1
kill -USR1 $$
(trap 'echo terminated; exit 7' TERM; sleep 5 & wait) &
p=$!
sleep 0.1
kill -TERM $p
wait $p && echo zero || echo "status $?"
sleep 5 & kill -9 $!; wait $!; echo "killed $?"
sh -c 'kill -SEGV $$'; echo "segv $?"
(trap 'echo leaving' EXIT; echo working)
trap '' INT
sh -c 'kill -INT $$; echo "ignored, too"'
trap - INT
sh -c 'kill -INT $$; echo no'; echo "int $?"

mkfifo pipe
cat pipe > copy & (echo first; echo second) > pipe
wait
cat copy
exec 3> out; echo three >&3; exec 3>&-; cat out
echo "$(ls nothing 2>&1 | wc -l) $(echo a; echo b | cat)"
(cd /; pwd); [ "$(pwd)" = / ] || echo "still elsewhere"
sleep 0.05 & sleep 0.02 & wait; echo "all done $?"
timeout 0.2 sleep 5; echo "timeout $?"
timeout 5 sh -c 'exit 4'; echo "in time $?"
find . -name 'c*' -exec echo found {} \;
find . -name 'o*' -type f -exec echo all {} +
printf '%s\n' a b c d e f | xargs -n 1 -P 3 echo got | sort
printf '%s\n' 3 1 2 | xargs -I{} sh -c 'exit {}'; echo "xargs $?"
nohup sh -c 'echo unhung' 2>/dev/null
env -i A=b sh -c 'echo $A $$' | wc -w
exec sh -c 'echo last; exit 9'
