w=[(0,0)]#1
c#40=c
c#d=(c++[(a,a+d)|a<-[head[x|x<-[0..],all(\(p,q)->x/=p&&x/=q)c]]])#(d+1)
l=w++[(b,a)|(a,b)<-w]
f i j|elem(i,j)l=(-1,0)|1>0=head[(a,b)|(a,b)<-l,a<=i,b<=j,a==i||b==j||i-a==j-b]
