exec("def f(i,j):\n"+" for k in range(1,100):\n  for a,b in[(i-k,j),(i,j-k),(i-k,j-k)]:\n   if a>-1<b and min(a,b)==int(abs(a-b)*1.618):return a,b\n")
