i,j=map(int,input().split())
L=[]
for s in range(i+j+1):
 for a in range(s+1):
  if all(a!=x and s-a!=y and a+a-s!=x-y for x,y in L):L+=[(a,s-a)]
if(i,j)in L:print(0)
else:print(*[(a,b)for a,b in L if(a<i and b==j or a==i and b<j or a<i and i-a==j-b)][0])
