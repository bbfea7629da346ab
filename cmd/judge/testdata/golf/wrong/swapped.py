C=[(0,0)]
for d in range(1,39):
 a=min({*range(199)}-{x for p in C for x in p});C+=[(a,a+d)]
C+=[p[::-1]for p in C]
W=lambda i,j:[p for p in C if p[0]<=i and p[1]<=j and p!=(i,j)and(p[0]==i or p[1]==j or p[0]-p[1]==i-j)]
f=lambda i,j:(*((W(i,j)or[(-1,-1)])[0]),)[::-1]
