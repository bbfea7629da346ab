import math
proc f(i,j:int):auto=
 var m:seq[(int,int)]
 for k in 0..99:
  let x=int(float(k)*(1+sqrt(5.0))/2)
  m.add (x,x+k)
  m.add (x+k,x)
 if (i,j) in m:return (-1,-1)
 for (x,y) in m:
  if x<=i and y<=j and(x==i or y==j or i-x==j-y):return (x,y)
