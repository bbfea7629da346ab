import math,sequtils
proc f(a:seq[int])=
 var m:seq[(int,int)]
 let(i,j)=(a[0],a[1])
 for k in 0..99:
  let x=int(float(k)*(1+sqrt(5.0))/2)
  m.add (x,x+k)
  m.add (x+k,x)
 if (i,j) in m:echo 0
 else:
  for (x,y) in m:
   if x<=i and y<=j and(x==i or y==j or i-x==j-y):
    echo x," ",y
    return
