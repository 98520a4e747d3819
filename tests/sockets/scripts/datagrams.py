"""Datagrams: UDP of both families, Unix sockets with names, descriptors and credentials."""
import array
import os
import socket
import struct

with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
    server.bind(("127.0.0.1", 0))
    client.settimeout(5)
    for i in range(5):
        client.sendto(b"question %d" % i, server.getsockname())
        data, address = server.recvfrom(100)
        server.sendto(data.upper(), address)
        print(client.recv(100), address == ("127.0.0.1", client.getsockname()[1]))
    client.settimeout(0.05)
    try:
        client.recv(1)
    except TimeoutError as error:
        print("timeout", error)

if socket.has_dualstack_ipv6():
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as both, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as four:
        both.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        both.bind(("::", 0))
        four.sendto(b"hello", ("127.0.0.1", both.getsockname()[1]))
        print(both.recvfrom(10)[1][0])

with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as one, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as two:
    one.bind("one.socket")
    two.bind("two.socket")
    two.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    one.sendto(b"named", "two.socket")
    data, ancillary, flags, address = two.recvmsg(100, 100)
    print(data, [(level, kind, struct.unpack("iii", value)[0] == os.getpid()) for level, kind, value in ancillary], flags, address)
    print(sorted(os.listdir()))

a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
with open("text", "w+") as file:
    print("written before", file=file, flush=True)
    socket.send_fds(a, [b"take this"], [file.fileno()])
message, descriptors, flags, _ = socket.recv_fds(b, 100, 5)
with os.fdopen(descriptors[0]) as file:
    file.seek(0)
    print(message, len(descriptors), file.read())
a.close()
print(b.recv(1))
try:
    b.send(b"x")
except BrokenPipeError as error:
    print(error)
