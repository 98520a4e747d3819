# Runs a program in gdb, from main on, and prints as JSON all calls of the functions that $FUNCTIONS names: which, the
# return address, arguments, the result, and whether the variable $WATCHED was changed meanwhile by what it called.
import gdb, json, os

for setting in ("confirm off", "pagination off", "width 0", "debuginfod enabled off", "startup-with-shell off", "debug-file-directory /nowhere", "print thread-events off"):
    gdb.execute("set " + setting, to_string=True)

def register(name):
    return int(gdb.parse_and_eval("(unsigned long) $" + name))

def word(address):
    return int.from_bytes(gdb.selected_inferior().read_memory(address, 8).tobytes(), "little")

def text_length(address):
    n = 0
    memory = gdb.selected_inferior()
    while memory.read_memory(address + n, 1)[0] != b"\0":
        n += 1
    return n

gdb.execute("tbreak main", to_string=True)
gdb.execute("run", to_string=True)
begins = {}
for name in json.loads(os.environ["FUNCTIONS"]):
    # Of what a resolver chooses gdb knows the choice; of others the very first instruction is meant.
    plain = name.lstrip("@")
    point = gdb.Breakpoint(plain if name.startswith("@") else "*" + plain)
    for line in gdb.execute("info breakpoints %d" % point.number, to_string=True).splitlines():
        for part in line.split():
            if part.startswith("0x"):
                begins[int(part, 16)] = plain
watched = os.environ.get("WATCHED")
if watched:
    gdb.execute("watch -l " + watched, to_string=True)

calls, open_calls, returns = [], [], set()
while True:
    try:
        said = gdb.execute("continue", to_string=True)
        frame = gdb.newest_frame()
    except gdb.error:
        break
    if not gdb.selected_inferior().pid:
        break
    pc, rsp = frame.pc(), register("rsp")
    if "atchpoint" in said:
        for call in open_calls:
            if call["rsp"] > rsp:
                call["changed"] = True
    for call in [c for c in open_calls if c["rsp"] < rsp]:
        open_calls.remove(call)
        if call["rsp"] + 8 == rsp and call["returns"] == pc:
            call["rax"] = register("rax")
    if pc in begins:
        back = word(rsp)
        call = {"function": begins[pc], "returns": back, "rsp": rsp, "args": [register(r) for r in ("rdi", "rsi", "rdx", "rcx", "r8", "r9")], "stack": [word(rsp + 8), word(rsp + 16)], "xmm": float(gdb.parse_and_eval("$xmm0.v2_double[0]")), "rax": None, "changed": False}
        if begins[pc] == "strcpy":
            call["length"] = text_length(call["args"][1]) + 1
        if begins[pc] == "memcpy":
            call["length"] = call["args"][2]
        calls.append(call)
        open_calls.append(call)
        if back not in returns:
            returns.add(back)
            gdb.execute("break *%d" % back, to_string=True)
print("JSON:" + json.dumps([{**c, "args": [str(a) for a in c["args"]], "stack": [str(a) for a in c["stack"]], "rax": None if c["rax"] is None else str(c["rax"]), "returns": str(c["returns"]), "rsp": str(c["rsp"])} for c in calls]))
