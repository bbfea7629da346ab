i,j=...i=i+0 j=j+0 m={}for k=0,62 do x=k*(1+5^.5)//2|0 m[#m+1]={x,x+k}m[#m+1]={x+k,x}end
for _,p in pairs(m)do if p[1]==i and p[2]==j then print(0)os.exit()end end
for _,p in pairs(m)do x,y=p[1],p[2]if x<=i and y<=j and(x==i or y==j or i-x==j-y)then print(x,y)os.exit()end end
