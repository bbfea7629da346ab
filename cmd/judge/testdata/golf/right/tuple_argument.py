C=[(0,0)]
for d in range(1,39):
 a=min({*range(199)}-{x for p in C for x in p});C+=[(a,a+d)]
C+=[p[::-1]for p in C]
def f(p):
 if p in C:return"lost"
 i,j=p
 return[[a,b]for a,b in C if(a<i and b==j or a==i and b<j or a<i and a-b==i-j)][0]
