# Arithmetic in loops: what the compiled tier meets in an interpreter that others wrote.
import math
def advance(bodies, dt, n):
    for _ in range(n):
        for i, (p, v, m) in enumerate(bodies):
            for q, u, k in bodies[i + 1:]:
                dx, dy, dz = p[0] - q[0], p[1] - q[1], p[2] - q[2]
                mag = dt / ((dx * dx + dy * dy + dz * dz) ** 1.5)
                for axis, d in enumerate((dx, dy, dz)):
                    v[axis] -= d * k * mag
                    u[axis] += d * m * mag
        for p, v, m in bodies:
            for axis in range(3): p[axis] += dt * v[axis]
bodies = [([math.cos(i) * (i + 1), math.sin(i) * (i + 1), i / 10], [-math.sin(i), math.cos(i), 0.01 * i], 1.0 / (i + 1)) for i in range(5)]
advance(bodies, 0.01, 300)
for b in bodies: print(*(x.hex() for x in b[0]))
def mandel(w, h, limit=30):
    for y in range(h):
        row = ""
        for x in range(w):
            z, c, n = 0j, complex(3.0 * x / w - 2, 2.0 * y / h - 1), 0
            while abs(z) <= 2 and n < limit: z, n = z * z + c, n + 1
            row += " .:-=+*#%@"[n * 9 // limit]
        print(row)
mandel(60, 20)
