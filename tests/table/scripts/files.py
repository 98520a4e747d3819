# Files, directories, os, time, mmap, pickle, tarfile, sqlite3, select.
import array, datetime, glob, io, mmap, os, pickle, pathlib, select, shutil, signal, sqlite3, stat, struct, sys, tarfile, tempfile, time, zipfile

os.makedirs("d/e"); pathlib.Path("d/a.txt").write_text("hällo\n" * 3, encoding="utf-8")
with open("d/b.bin", "wb") as f: f.write(bytes(range(256)) * 20); f.seek(10_000); f.write(b"end")
print(sorted(os.listdir("d")), os.stat("d/b.bin").st_size, oct(os.stat("d/a.txt").st_mode), stat.filemode(os.lstat("d").st_mode))
with open("d/b.bin", "r+b") as f:
    with mmap.mmap(f.fileno(), 0) as m:
        m[0:4] = b"MMAP"; print(m.find(b"end"), m[256:260], len(m))
print(open("d/b.bin", "rb").read(6), sorted(glob.glob("d/**", recursive=True)))
os.symlink("a.txt", "d/link"); os.rename("d/a.txt", "d/c.txt"); print(os.path.exists("d/link"), os.readlink("d/link"))
print(pickle.loads(pickle.dumps({"a": (1, 2.5, None, {3})})), array.array("d", [1.5, 2.5]).tobytes().hex())
with tarfile.open("t.tar", "w") as t: t.add("d/c.txt", filter=lambda i: (setattr(i, "mtime", 0), i)[1])
with zipfile.ZipFile("z.zip", "w", zipfile.ZIP_DEFLATED) as z: z.writestr(zipfile.ZipInfo("n.txt"), "x" * 1000)
print(tarfile.open("t.tar").getnames(), zipfile.ZipFile("z.zip").infolist()[0].compress_size)
db = sqlite3.connect("x.db"); db.execute("create table t(a, b)"); db.executemany("insert into t values(?, ?)", [(i, i * i) for i in range(100)])
db.commit(); print(db.execute("select sum(b), avg(a), group_concat(a) from t where a < 10").fetchall())
r, w = os.pipe(); print(select.select([r], [w], [], 0)); os.write(w, b"ping"); print(select.select([r], [], [], 1)[0] == [r], os.read(r, 10))
print(datetime.datetime(2024, 2, 29, 12, tzinfo=datetime.timezone.utc).isoformat(), datetime.date(2024, 12, 30).isocalendar(), time.strftime("%c", time.gmtime(0)))
def handler(number, frame): print("signal", signal.Signals(number).name)
signal.signal(signal.SIGALRM, handler); signal.setitimer(signal.ITIMER_REAL, 0.02); time.sleep(0.1)
os.kill(os.getpid(), signal.SIGALRM); print(sys.getsizeof(10) > 0, os.environ["HOME"], os.getcwd() == os.path.realpath("."))
try: open("nowhere")
except FileNotFoundError as e: print(e)
shutil.rmtree("d"); print(os.path.isdir("d")); sys.exit(7)
