# What bash has beyond POSIX: process substitution, coprocesses, job control without a terminal, PIPESTATUS, wait -n.
cat <(echo hi) <(echo there)
echo x > >(tr x y); sleep 0.1
coproc cat; echo co >&"${COPROC[1]}"; read -r line <&"${COPROC[0]}"; echo "$line"; kill "$COPROC_PID"; wait 2>/dev/null
set -o pipefail; false | true; echo "pipefail $?"; set +o pipefail
true | (exit 4) | false; echo "${PIPESTATUS[@]}"
mapfile -t lines < <(seq 3); echo ${#lines[@]}
diff <(seq 3) <(seq 4); echo "diff $?"
[ $BASHPID = $$ ] && ( [ $BASHPID = $$ ] || echo "subshell has a number of its own" )
while read -r a b; do echo "$b-$a"; done <<< "1 2"
exec {fd}<> <(:); exec {fd}>&-
set -m
sleep 0.1 & wait %1; echo "job $?"
sh -c 'kill -STOP $$; echo resumed; exit 5' & p=$!
while [ "$(cut -d' ' -f3 "/proc/$p/stat")" != T ]; do sleep 0.02; done
jobs %1 | sed 's/ .*Stopped.*/ stopped/'
kill -CONT $p; sleep 0.2; wait $p; echo "continued $?"
set +m
(sleep 0.1; exit 3) & (sleep 5) & last=$!
wait -n; echo "first $?"; kill $last; wait $last 2>/dev/null; echo "second $?"
trap 'echo "child ended"' CHLD; (exit 0) & wait; trap - CHLD
exec 5< <(printf 'a\nb\n'); read -r -u 5 x; read -r -u 5 y; echo "$x$y"; exec 5<&-
time -p true 2>/dev/null
f() { local i; for i in 1 2 3; do echo "$i"; done; }
f | { read -r one; read -r two; echo "$one $two"; }
sum=0; for i in $(seq 40); do sum=$((sum + $(echo "$i"))); done; echo "$sum"
shopt -s lastpipe; echo kept | read -r kept; echo "$kept"
( ulimit -n 20; bash -c 'ulimit -n' )
kill -l 15; { sleep 10 & } 2>/dev/null; disown; kill %1 2>/dev/null || kill $!
printf '%s\n' {1..5} | while read -r n; do (( n % 2 )) && echo "odd $n"; done
