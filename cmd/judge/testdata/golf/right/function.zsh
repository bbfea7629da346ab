f(){ for k in `seq 0 99`;do x=$((k*1618033989/1000000000));y=$((x+k));[ $1 = $x -a $2 = $y -o $1 = $y -a $2 = $x ]&&{ echo x;return;};done
for k in `seq 0 62`;do x=$((k*1618033989/1000000000));y=$((x+k))
for p in $x,$y $y,$x;do a=${p%,*} b=${p#*,};(((a<=$1)&&(b<=$2)&&(a==$1||b==$2||$1-a==$2-b)))&&{ echo $a $b;return;};done;done;}
