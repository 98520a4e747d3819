# Runs the commands of $COMMANDS (JSON) in gdb, and prints where the program stands after each, as JSON.
import gdb, json, os

def where():
    try:
        frame = gdb.newest_frame()
    except gdb.error:
        return None
    frames = []
    while frame is not None and len(frames) < 60:
        sal = frame.find_sal()
        if frame.type() == gdb.SIGTRAMP_FRAME:
            frames.append({"signal": True})
        else:
            name = frame.name()
            frames.append({"name": name, "pc": frame.pc(), "line": sal.line if sal.symtab else 0, "file": sal.symtab.filename if sal.symtab else None})
        try:
            frame = frame.older()
        except gdb.error:
            break
    return frames

# Of these gdb has no commands that go back, but a setting that turns them round.
def execute(command):
    if not command.startswith(("reverse-until", "reverse-advance")):
        return gdb.execute(command, to_string=True)
    gdb.execute("set exec-direction reverse")
    try:
        return gdb.execute(command[len("reverse-"):], to_string=True)
    finally:
        gdb.execute("set exec-direction forward")

def main():
    gdb.execute("set confirm off")
    gdb.execute("set pagination off")
    gdb.execute("set width 0")
    gdb.execute("set debuginfod enabled off")
    gdb.execute("set startup-with-shell off")
    gdb.execute("set debug-file-directory /nowhere")
    for setting in json.loads(os.environ.get("SETTINGS", "[]")):
        gdb.execute(setting)
    results = []
    for command in json.loads(os.environ["COMMANDS"]):
        try:
            text = execute(command)
        except gdb.error as error:
            text = "error: " + str(error)
        results.append({"command": command, "text": text, "frames": where()})
        if results[-1]["frames"] is None and command.split()[0] not in ("break", "tbreak"):
            break
    print("JSON:" + json.dumps(results))

main()
