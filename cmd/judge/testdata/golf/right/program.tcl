lassign [gets stdin] i j
set m {}
for {set k 0} {$k<99} {incr k} {set x [expr int($k*(1+sqrt(5))/2)];lappend m "$x [expr $x+$k]" "[expr $x+$k] $x"}
if {"$i $j" in $m} {puts x;exit}
foreach p $m {lassign $p x y
if {$x<=$i&&$y<=$j&&($x==$i||$y==$j||$i-$x==$j-$y)} {puts $p;exit}}
