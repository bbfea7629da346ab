function(a){k=0:99
x=floor(k*(1+sqrt(5))/2)
m=rbind(cbind(x,x+k),cbind(x+k,x));i=a[1];j=a[2]
if(any(m[,1]==i&m[,2]==j))-1 else
m[m[,1]<=i&m[,2]<=j&(m[,1]==i|m[,2]==j|i-m[,1]==j-m[,2]),,drop=F][1,]}
