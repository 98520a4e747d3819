# Runs the commands of $COMMANDS (JSON) in gdb, with a mark before what it says to each. The program's own output goes nowhere.
import gdb, json, os

for setting in ("confirm off", "pagination off", "width 0", "height 0", "debuginfod enabled off", "startup-with-shell off", "style enabled off", "print thread-events off", "debug-file-directory /nowhere", "inferior-tty /dev/null"):
    gdb.execute("set " + setting)

for command in json.loads(os.environ["COMMANDS"]):
    gdb.write("\n\x01")
    gdb.flush()
    try:
        gdb.execute(command, True)
    except gdb.error as error:
        gdb.write(str(error) + "\n")
    gdb.flush()
gdb.write("\n\x01")
gdb.flush()
try:
    gdb.execute("kill", False, True)
except gdb.error:
    pass
