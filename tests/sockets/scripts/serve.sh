# A web server on PORT and curl, both started from here: 200 requests in four runs of curl.
#   sh serve.sh PORT SERVER ARGUMENTS...
set -e
port=$1; shift
mkdir -p www logs
i=0; while [ $i -lt 10 ]; do printf 'page %d\n%*d\n' $i $((i * i * 1000)) $i > www/$i.html; i=$((i + 1)); done
"$@" &
server=$!
tries=0; until curl -s -o /dev/null "http://127.0.0.1:$port/0.html"; do tries=$((tries + 1)); [ $tries -lt 200 ]; sleep 0.05; done
for run in 1 2 3 4; do
  curl -s "http://127.0.0.1:$port/[0-9].html?[1-5]" -w '%{http_code} %{size_download}\n' -o /dev/null | sort | uniq -c
done
curl -s -o /dev/null -w '%{http_code}\n' "http://127.0.0.1:$port/missing"
curl -s -I "http://127.0.0.1:$port/3.html" | tr -d '\r' | grep -i '^content-'
sleep 0.2
kill $server
wait $server || echo "status $?"
rm -rf www logs nginx.pid
