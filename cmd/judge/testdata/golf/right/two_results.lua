function f(i,j)local t,c,d={},{},0
for a=0,99 do if not t[a]then t[a]=1 t[a+d]=1 c[a..","..a+d]=1 c[a+d..","..a]=1 d=d+1 end end
if c[i..","..j]then return end
for k=1,99 do for _,m in ipairs{{k,k},{k,0},{0,k}}do local x,y=i-m[1],j-m[2]
if x>=0 and y>=0 and c[x..","..y]then return x,y end end end end
