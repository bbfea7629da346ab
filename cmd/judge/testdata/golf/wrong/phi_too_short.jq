. as [$i,$j]|[range(0;99)|. as $k|(.*1.6|floor)|[.,.+$k]|.,reverse]|if index([[$i,$j]]) then 0 else first(.[]|select(.[0]<=$i and .[1]<=$j and (.[0]==$i or .[1]==$j or $i-.[0]==$j-.[1]))) end
