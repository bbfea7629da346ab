sub f{my($i,$j)=@_;my(%t,%c,$d);for my$a(0..99){next if$t{$a};$t{$a}=$t{$a+$d}=$c{"$a ".($a+$d)}=$c{($a+$d)." $a"}=1;$d++}
if($c{"$i $j"}){print"x";return}
for my$k(1..99){for([$k,$k],[$k,0],[0,$k]){my($x,$y)=($i-$$_[0],$j-$$_[1]);if($x>=0&&$y>=0&&$c{"$x $y"}){print"$x $y";return}}}}
