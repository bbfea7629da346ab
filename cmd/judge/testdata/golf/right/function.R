f=function(i,j){k=0:99
x=floor(k*(1+sqrt(5))/2)
m=rbind(cbind(x,x+k),cbind(x+k,x))
if(any(m[,1]==i&m[,2]==j))return(F)
m[m[,1]<=i&m[,2]<=j&(m[,1]==i|m[,2]==j|i-m[,1]==j-m[,2]),,drop=F][1,]}
