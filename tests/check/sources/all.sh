set -u; shopt -s extglob nullglob
fact() { (( $1 <= 1 )) && { echo 1; return; }; echo $(( $1 * $(fact $(( $1 - 1 ))) )); }
echo $(fact 10); a=(one two three "four five"); for i in "${!a[@]}"; do printf '%d=%s\n' $i "${a[i]}"; done
declare -A m=([x]=1 [y]=2); for k in x y; do (( m[$k] += 10 )); echo ${m[$k]}; done
s="the quick brown fox"; echo ${s^^} ${s/quick/slow} ${s#the } ${s%% *} ${#s} ${s:4:5}; [[ $s =~ (b[a-z]+) ]] && echo ${BASH_REMATCH[1]}
cat <<E1 | while read -r l; do echo "<$l>"; done
first $((3*4))
second ${a[1]}
E1
trap 'echo bye' EXIT; (exit 3); echo $?; case foo.c in *.@(c|h)) echo source;; *) echo other;; esac
printf '%s\n' {a..e}{1..3} | sort -r | head -4; echo "$(echo nested $(echo deeper))"; IFS=: read -r x y z <<< "p:q:r"; echo $z$y$x
f() { local -n r=$1; r=changed; }; v=old; f v; echo $v; echo $((16#ff)) $((2**20)) $(( 7 % 3 )); select_=1; until (( select_ > 3 )); do (( select_++ )); done; echo $select_
mapfile -t lines < <(printf 'l1\nl2\nl3\n'); echo ${#lines[@]} ${lines[2]}; echo ${lines[@]/l/L}; eval 'echo eval $((1+1))'; type -t fact; set -- a b c; shift; echo $# $1 "$*"; echo -e 'tab\there\x41'; printf -v p '%05.2f' 3.14159; echo $p; test -f /etc/passwd && echo yes; echo ${undefined:-default} ; (sleep 0.01 & wait); history -c; alias ll='ls -l'; alias; declare -p m >/dev/null; umask; ulimit -n >/dev/null; times >/dev/null; hash; kill -l 9; getopts ab o -a; echo $o; printf '%q\n' 'a b$c'
