import subprocess, os, sys, signal
print(subprocess.run(['echo','hi'],capture_output=True,text=True))
print(subprocess.check_output('seq 5 | sort -r | head -2', shell=True))
p=subprocess.Popen(['cat'],stdin=subprocess.PIPE,stdout=subprocess.PIPE)
print(p.communicate(b'abc'*50000)[0].__len__(), p.returncode)
print(subprocess.run(['sh','-c','exit 7']).returncode, subprocess.run(['sh','-c','kill -9 $$']).returncode)
try: subprocess.run(['/nonexistent'])
except FileNotFoundError as e: print(e)
try: subprocess.run(['sleep','5'],timeout=0.2)
except subprocess.TimeoutExpired: print('timeout')
pid=os.fork()
if pid==0: os._exit(3)
print(os.waitstatus_to_exitcode(os.waitpid(pid,0)[1]))
r,w=os.pipe()
if os.fork()==0:
    os.close(r); os.write(w,b'x'*100000); os._exit(0)
os.close(w); n=0
while True:
    d=os.read(r,65536)
    if not d: break
    n+=len(d)
print(n); os.wait()
print(subprocess.run('echo $PPID $$ | wc -w; ps >/dev/null; exit 3',shell=True).returncode)
