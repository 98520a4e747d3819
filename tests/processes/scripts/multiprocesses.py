import multiprocessing as mp, os
def f(x): return x*x
def g(q,n,v,l):
    for i in range(100):
        with l: v.value+=1
    q.put(n)
if __name__=='__main__':
    with mp.Pool(2) as p: print(p.map(f, range(10)))
    q=mp.Queue(); v=mp.Value('i',0); l=mp.Lock()
    ps=[mp.Process(target=g,args=(q,i,v,l)) for i in range(3)]
    for p in ps: p.start()
    print(sorted(q.get() for _ in ps))
    for p in ps: p.join()
    print(v.value)
    a=mp.Array('d',4)
    def h(a):
        for i in range(4): a[i]=i*1.5
    p=mp.Process(target=h,args=(a,)); p.start(); p.join(); print(a[:], p.exitcode)
