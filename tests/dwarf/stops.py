"""Runs in gdb: stops at each place given and writes what gdb knows there: frames, variables, registers, memory (JSON)."""
import json
import os

import gdb

GENERAL = ["rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp"] + ["r%d" % i for i in range(8, 16)] + ["rip"]
SCALARS = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_ENUM, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_BOOL)


def number(register):
    return int(gdb.selected_frame().read_register(register)) & (2**64 - 1)


def xmm(index):
    halves = gdb.selected_frame().read_register("xmm%d" % index)["v2_int64"]
    return (int(halves[0]) & (2**64 - 1)) | (int(halves[1]) & (2**64 - 1)) << 64


def shown(fetch):
    """A scalar as its bytes say, anything else as its address."""
    try:
        value = fetch()
        if value.is_optimized_out:
            return "optimised out"
        kind = value.type.strip_typedefs()
        if kind.code in SCALARS:
            return str(int(value) & (2 ** (8 * kind.sizeof) - 1))
        if kind.code == gdb.TYPE_CODE_FLT and kind.sizeof <= 8:
            return repr(float(value))
        if kind.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
            return "&%d" % int(value.referenced_value().address)
        if value.address is None:
            return "somewhere"
        return "@%d" % (int(value.address) & (2**64 - 1))
    except gdb.error as error:
        return "optimised out" if "optimized out" in str(error) else "error: %s" % error


def variables(frame):
    found = []
    try:
        block = frame.block()
    except RuntimeError:
        return found
    while block is not None:
        for symbol in block:
            if symbol.is_variable or symbol.is_argument:
                found.append([symbol.name, shown(lambda: symbol.value(frame) if symbol.needs_frame else symbol.value())])
        if block.function is not None:
            break
        block = block.superblock
    return found


def frames():
    result = []
    frame = gdb.newest_frame()
    while frame is not None and frame.is_valid():
        sal = frame.find_sal()
        inlined = frame.type() == gdb.INLINE_FRAME
        result.append({
            "name": frame.name(), "pc": str(frame.pc()), "line": sal.line if sal.symtab else 0, "inlined": inlined,
            "variables": variables(frame),
        })
        frame = frame.older()
    return result


def memory(sections):
    top = number("rsp")
    inferior = gdb.selected_inferior()
    ranges = [(top - 256, 8192)] + sections
    result = []
    for start, size in ranges:
        while size > 0:
            try:
                result.append([str(start), bytes(inferior.read_memory(start, size)).hex()])
                break
            except gdb.MemoryError:
                size -= 512
    return result


def writable():
    result = []
    for line in gdb.execute("info files", to_string=True).split("\n"):
        words = line.split()
        if len(words) == 5 and words[3] == "is" and words[4] in (".data", ".bss"):
            result.append((int(words[0], 16), int(words[2], 16) - int(words[0], 16)))
    return result


def modules():
    seen = {}
    for line in gdb.execute("info proc mappings", to_string=True).split("\n"):
        words = line.split()
        if len(words) >= 5 and words[0].startswith("0x") and words[-1].startswith("/"):
            seen.setdefault(words[-1], str(int(words[0], 16)))
    return seen


def main():
    stops = []
    for place in os.environ["STOPS"].split(";"):
        if place.startswith("step"):
            for _ in range(int(place[4:])):
                gdb.execute("stepi", to_string=True)
        else:
            try:
                gdb.execute("tbreak %s" % place, to_string=True)
            except gdb.error:
                continue
            gdb.execute("continue" if stops else "run", to_string=True)
        if gdb.selected_inferior().pid == 0:
            break
        stops.append({
            "place": place, "frames": frames(), "registers": [str(number(name)) for name in GENERAL] + [str(xmm(i)) for i in range(16)],
            "memory": memory(writable()), "modules": modules(), "fs": str(number("fs_base")),
        })
    print("JSON:" + json.dumps(stops))


gdb.execute("set pagination off")
gdb.execute("set debuginfod enabled off")
gdb.execute("set confirm off")
gdb.execute("handle SIGSEGV SIGUSR1 nostop noprint pass", to_string=True)
main()
