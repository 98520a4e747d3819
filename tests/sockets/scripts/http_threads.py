"""An HTTP server in threads, and clients in others, in one process."""
import http.server
import threading
import urllib.request


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = (self.path * 100).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(201)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[::-1])

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = "http://127.0.0.1:%d" % server.server_port
results = {}


def ask(i):
    with urllib.request.urlopen(f"{url}/path{i}") as answer:
        results[i] = (answer.status, len(answer.read()))
    with urllib.request.urlopen(url, data=b"0123456789" * 5000) as answer:
        results[i] += (answer.status, answer.read()[:3])


threads = [threading.Thread(target=ask, args=(i,)) for i in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
for i in sorted(results):
    print(i, results[i])
try:
    urllib.request.urlopen(url.replace("127.0.0.1", "localhost") + "/\u00e4".encode().decode("latin1"))
except UnicodeEncodeError as error:
    print("not a URL")
server.shutdown()
server.server_close()
try:
    urllib.request.urlopen(url)
except OSError as error:
    print(error)
