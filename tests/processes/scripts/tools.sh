# Tools that run other tools: tar and its compressors, awk, sed, find, xargs, gcc; what a configure script does.
mkdir t; seq 1000 > t/a; cp t/a t/b
tar czf t.tgz t; tar tzf t.tgz | sort; tar xzf t.tgz -O t/a | tail -1
tar cjf t.tbz t && tar tjf t.tbz | wc -l
echo 'int main(){return 7;}' > x.c; gcc x.c -o x; ./x; echo "x $?"
gcc -O2 -shared -fPIC x.c -o x.so; nm x.so | grep -c main
for h in stdio stdlib nonexistent; do
    printf 'checking %s... ' "$h"
    echo "#include <$h.h>" > conftest.c
    if gcc -E conftest.c > /dev/null 2>&1; then echo yes; else echo no; fi
done
awk 'BEGIN { "echo sub" | getline x; print x; print "z\na" | "sort"; close("sort"); print system("exit 3") }'
find t -type f -print0 | xargs -0 cksum | sort
printf 'b\na\n' | sort | tee o | cat; cat o
(echo 1; sleep 0.1; echo 2) | while read x; do echo "got $x"; done
echo x | sed '1e echo executed'
split -l 400 --filter='wc -l' t/a
sort -S 20K --compress-program=gzip -T . -r t/a | head -1
rm -f x x.so t.tgz t.tbz
