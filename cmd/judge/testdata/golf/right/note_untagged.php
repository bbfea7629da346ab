[,$i,$j]=$argv;for($k=0;$k<63;$k++){$x=(int)($k*(1+sqrt(5))/2);$m[]=[$x,$x+$k];$m[]=[$x+$k,$x];}
foreach($m as[$x,$y])if($x==$i&&$y==$j)die('x');
foreach($m as[$x,$y])if($x<=$i&&$y<=$j&&($x==$i||$y==$j||$i-$x==$j-$y))die("$x $y");
