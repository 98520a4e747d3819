# Blocks, classes, big integers, regular expressions, hashes.
class Shape
  attr_reader :name
  def initialize(name) = @name = name
  def <=>(other) = area <=> other.area
  include Comparable
end
class Square < Shape
  def initialize(a) = (super("square"); @a = a)
  def area = @a**2
end
puts [3, 1, 2].map { |a| Square.new(a) }.sort.map(&:area).inspect, (1..20).inject(:*), 2**200, 10.0 / 3, 1e20.to_i, -7 / 2, 7.fdiv(2)
puts "the quick brown fox".scan(/\w+/).group_by(&:size).sort.inspect, "héllo".upcase, "a-b-c".gsub(/-(\w)/) { $1.upcase }
puts format("%05.2f %x %e %s", 3.14159, 255, 12345.678, :sym), [1, [2, [3]]].flatten.sum, %w[b a].sort.join(","), (1..Float::INFINITY).lazy.select(&:even?).first(3).inspect
begin; raise ArgumentError, "bad"; rescue => e; puts "#{e.class}: #{e.message}"; ensure puts "done"; end
def fib(n) = n < 2 ? n : fib(n - 1) + fib(n - 2)
puts fib(18), catch(:found) { 10.times { |i| throw :found, i if i * i > 20 } }, Rational(1, 3) + Rational(1, 6), Complex(1, 2)**2
$stderr.puts "to stderr"; exit 6
