read i j
for k in `seq 0 62`;do x=$((k*1618033989/1000000000));y=$((x+k));[ $i = $x -a $j = $y -o $i = $y -a $j = $x ]&&exit
for p in $x,$y $y,$x;do a=${p%,*} b=${p#*,};(((a<=i)&&(b<=j)&&(a==i||b==j||i-a==j-b)))&&r="$a $b";done;done;echo $r
