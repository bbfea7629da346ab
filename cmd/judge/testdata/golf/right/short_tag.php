<?[$i,$j]=fgetcsv(STDIN);for(;$k++<99;)foreach([[$i-$k,+$j],[+$i,$j-$k],[$i-$k,$j-$k]]as[$a,$b])if(min($a,$b)>=0&&min($a,$b)==(int)(abs($a-$b)*1.618034))die("$a,$b");
