proc fib n { expr {$n < 2 ? $n : [fib [expr {$n - 1}]] + [fib [expr {$n - 2}]]} }
puts [fib 16]
set d [dict create]; foreach w [split "the cat and the dog and the bird"] { dict incr d $w }
foreach k [lsort [dict keys $d]] { puts "$k [dict get $d $k]" }
puts [lsort -integer -decreasing {5 3 17 9 100}]; puts [expr {2**100}] ; puts [expr {sin(1) + sqrt(2)}]; puts [format "%08.3f|%x|%-6s|" 3.14159 255 ab]
puts [regsub -all {(\w+)@(\w+)} "a@b c@d" {\2 at \1}]; puts [string toupper "straße"]; puts [clock format 0 -gmt 1 -format "%Y-%m-%d %H:%M:%S"]
if {[catch {expr {1 / 0}} message]} { puts "error: $message" }
exit 4
