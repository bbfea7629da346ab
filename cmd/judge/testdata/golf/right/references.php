function f(&$i,&$j){for($k=1;$k<100;$k++)foreach([[$i-$k,$j],[$i,$j-$k],[$i-$k,$j-$k]]as[$a,$b])if(min($a,$b)>=0&&min($a,$b)==(int)(abs($a-$b)*1.618034)){$i=$a;$j=$b;return;}$i=$j=-1;}
