# Only what a shell does itself: no forks.
i=0 sum=0
while [ $i -lt 2000 ]; do i=$((i + 1)); sum=$((sum + i * i % 7)); done
echo "$i $sum $((1 << 40)) $((0x1f)) $((-7 / 2)) $((5 > 3 && 2))"
f() { local x=$1; [ "$x" -le 1 ] && { r=1; return; }; f $((x - 1)); r=$((r * x)); }
f 15; echo "$r"
s=path/to/file.tar.gz; echo "${s##*/} ${s%%.*} ${s%.*} ${#s} ${none:-default} ${s:+set}"
case $s in *.zip) echo zip ;; *.tar.*) echo tar ;; esac
set -- one 'two words' three; for a; do printf '<%s>' "$a"; done; echo; shift; echo "$# $1 $*"
IFS=:; x=p:q:r; for w in $x; do echo "$w"; done; unset IFS
while read -r a b; do echo "[$b][$a]"; done < input
trap 'echo trapped; exit 9' USR1; trap 'echo leaving' EXIT
cat_() { while IFS= read -r l; do printf '%s\n' "$l"; done; }
cat_ <<E
here $((6 * 7)) document
E
echo out > made; echo more >> made; cat_ < made; type echo; umask 027; umask; cd /; pwd
kill -USR1 $$; echo unreachable
