<?php function f($i,$j){for($k=0;$k<63;$k++){$x=(int)($k*(1+sqrt(5))/2);$m[]=[$x,$x+$k];$m[]=[$x+$k,$x];}
foreach($m as[$x,$y])if($x==$i&&$y==$j){echo'x';return;}
foreach($m as[$x,$y])if($x<=$i&&$y<=$j&&($x==$i||$y==$j||$i-$x==$j-$y)){echo$x,' ',$y;return;}}
