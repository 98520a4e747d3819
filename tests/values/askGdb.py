"""Runs in gdb: stops at places, saves a core file at each, and writes the answers to commands there (JSON)."""
import json
import os

import gdb


def answer(command):
    try:
        return gdb.execute(command, False, True).rstrip("\n")
    except gdb.error as error:
        return str(error)


def main():
    with open(os.environ["QUESTIONS"]) as file:
        stops = json.load(file)
    answers = []
    for i, stop in enumerate(stops):
        gdb.execute("tbreak %s" % stop["place"], to_string=True)
        gdb.execute("continue" if i > 0 else "run", to_string=True)
        gdb.execute("gcore %s" % stop["core"], to_string=True)
        if stop.get("frame"):
            gdb.execute("frame %d" % stop["frame"], to_string=True)
        answers.append([answer(command) for command in stop["commands"]])
    with open(os.environ["ANSWERS"], "w") as file:
        json.dump(answers, file)
    gdb.execute("kill", to_string=True)


gdb.execute("set pagination off")
gdb.execute("set width 0")
gdb.execute("set debuginfod enabled off")
gdb.execute("set confirm off")
gdb.execute("set print frame-info location")
main()
