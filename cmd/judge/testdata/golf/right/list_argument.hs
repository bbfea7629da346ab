f[i,j]|elem(i,j)m=Nothing|0<1=Just$head[(x,y)|(x,y)<-m,x<=i,y<=j,x==i||y==j||i-x==j-y]
m=[p|k<-[0..62],let x=floor(fromIntegral k*(1+sqrt 5)/2),p<-[(x,x+k),(x+k,x)]]
