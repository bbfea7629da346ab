function f($i,$j){for($a=$d=0;$a<99;$a++)if(!isset($t[$a])){$t[$a]=$t[$a+$d]=1;$c["$a ".($a+$d)]=$c[($a+$d)." $a"]=1;$d++;}
if(isset($c["$i $j"]))return 0;
for($k=1;;$k++)foreach([[$k,$k],[$k,0],[0,$k]]as[$x,$y])if(isset($c[($i-$x)." ".($j-$y)]))return[$i-$x,$j-$y];}
