"""A server and many clients in one thread, with selectors (epoll), asyncio and plain select."""
import asyncio
import select
import selectors
import socket


def with_selectors(clients, size):
    chooser = selectors.DefaultSelector()
    server = socket.create_server(("127.0.0.1", 0), backlog=5)
    server.setblocking(False)
    chooser.register(server, selectors.EVENT_READ, "server")
    waiting = {}
    for i in range(clients):
        client = socket.socket()
        client.setblocking(False)
        error = client.connect_ex(server.getsockname())
        assert error in (0, 115), error
        chooser.register(client, selectors.EVENT_WRITE, "client")
        waiting[client] = (bytes([i]) * size, bytearray())
    done = 0
    while done < clients:
        for key, events in chooser.select():
            if key.data == "server":
                peer, _ = server.accept()
                peer.setblocking(False)
                chooser.register(peer, selectors.EVENT_READ, "echo")
            elif key.data == "echo":
                data = key.fileobj.recv(4096)
                if data:
                    key.fileobj.send(data)
                else:
                    chooser.unregister(key.fileobj)
                    key.fileobj.close()
            elif events & selectors.EVENT_WRITE:
                assert key.fileobj.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0
                sent, _ = waiting[key.fileobj]
                key.fileobj.send(sent)
                chooser.modify(key.fileobj, selectors.EVENT_READ, "client")
            else:
                sent, got = waiting[key.fileobj]
                got += key.fileobj.recv(65536)
                if len(got) == len(sent):
                    assert bytes(got) == sent
                    chooser.unregister(key.fileobj)
                    key.fileobj.close()
                    done += 1
    return done


async def with_asyncio(clients):
    async def echo(reader, writer):
        while line := await reader.readline():
            writer.write(line.upper())
            await writer.drain()
        writer.close()

    async def ask(port, i):
        reader, writer = await asyncio.open_connection("localhost", port)
        lines = []
        for j in range(5):
            writer.write(b"line %d of %d\n" % (j, i))
            lines.append(await reader.readline())
        writer.close()
        await writer.wait_closed()
        return lines[-1]

    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        return await asyncio.gather(*(ask(port, i) for i in range(clients)))


def with_select():
    a, b = socket.socketpair()
    a.setblocking(False)
    seen = [list(map(bool, select.select([b], [a], [], 0)))]
    a.send(b"x" * 1000)
    seen.append(list(map(bool, select.select([b], [a], [], 0))))
    while True:
        try:
            a.send(b"x" * 10000)
        except BlockingIOError:
            break
    seen.append(list(map(bool, select.select([b], [a], [], 0))))
    a.close()
    total = 0
    while data := b.recv(65536):
        total += len(data)
    return seen, total


print(with_selectors(20, 3000))
print(asyncio.run(with_asyncio(10)))
print(with_select())
