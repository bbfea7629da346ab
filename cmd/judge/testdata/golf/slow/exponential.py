def w(i,j):return not any(w(i-k,j-k)for k in range(1,min(i,j)+1))and not any(w(i,j-k)for k in range(1,j+1))and not any(w(i-k,j)for k in range(1,i+1))
def f(i,j):
 for k in range(1,max(i,j)+1):
  for x,y in(i-k,j-k),(i,j-k),(i-k,j):
   if x>=0 and y>=0 and w(x,y):return x,y
 return 0
