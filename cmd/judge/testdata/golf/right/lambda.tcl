{i j} {set m {}
for {set k 0} {$k<99} {incr k} {set x [expr int($k*(1+sqrt(5))/2)];lappend m "$x [expr $x+$k]" "[expr $x+$k] $x"}
if {"$i $j" in $m} {return x}
foreach p $m {lassign $p x y
if {$x<=$i&&$y<=$j&&($x==$i||$y==$j||$i-$x==$j-$y)} {return $p}}}
