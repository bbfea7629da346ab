($i,$j)=@ARGV;@m=map{$k=$_;$x=int$k*(1+sqrt 5)/2;[$x,$x+$k],[$x+$k,$x]}0..62;print+(grep{$$_[0]==$i&$$_[1]==$j}@m)?0:"@{(grep{($x,$y)=@$_;$x<=$i&$y<=$j&($x==$i|$y==$j|$i-$x==$j-$y)}@m)[0]}"
