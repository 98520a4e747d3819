-- Recursion, tables, strings, closures, coroutines, metatables, integers and floats.
local function queens(n)
  local count, cols, d1, d2 = 0, {}, {}, {}
  local function place(r)
    if r > n then count = count + 1 return end
    for c = 1, n do
      if not cols[c] and not d1[r + c] and not d2[r - c + n] then
        cols[c], d1[r + c], d2[r - c + n] = true, true, true
        place(r + 1)
        cols[c], d1[r + c], d2[r - c + n] = nil, nil, nil
      end
    end
  end
  place(1)
  return count
end
print(queens(6), queens(7))
local gen = coroutine.wrap(function() local a, b = 0, 1 while true do coroutine.yield(a) a, b = b, a + b end end)
for _ = 1, 95 do io.write(gen(), " ") end print()
local V = setmetatable({}, { __call = function(_, x) return setmetatable({ x = x }, { __add = function(a, b) return a.x + b.x end, __tostring = function(v) return "<" .. v.x .. ">" end }) end })
print(V(1) + V(2), tostring(V(3)), #"häh", ("x"):rep(5, ","), 7 // 2, -7 // 2, -7 % 3, 7.5 // 2, 1 / 3, 2^53, 10 // 0.0, 3 | 4, ~0, 1 << 62, "10" + 5)
print(string.format("%5d|%-8s|%08.3f|%x|%q|%g|%a", 42, "left", 3.14159, 255, "a\nb", 1e20, 0.5), math.maxinteger + 1 == math.mininteger, math.type(1.0))
for k, v in string.gmatch("a=1, b=22, c=333", "(%w+)=(%w+)") do io.write(k, ":", v, " ") end
print(("hello world"):gsub("o", { o = "0" }), ("abc"):byte(1, -1), ("%d"):rep(2), select("#", nil, nil), table.concat({ 1, 2, 3 }, "-"))
local t = {} for i = 1, 2000 do t[i] = i * 7919 % 2003 end table.sort(t, function(a, b) return a > b end) print(t[1], t[1000], t[2000], #t)
print(pcall(error, { code = 1 }), pcall(function() local x = nil; return x.y end)) print(string.pack(">I4z", 258, "s"):byte(1, -1))
print(math.sin(1), math.exp(1), math.log(10), math.floor(-3.5), math.tointeger(3.0), 0x7fffffffffffffff, 1e308 * 10, -(0/0) ~= -(0/0)) os.exit(5)
