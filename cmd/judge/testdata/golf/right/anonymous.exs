fn i,j->
m=for(k<-0..99,x=trunc(k*(1+:math.sqrt(5))/2),p<-[{x,x+k},{x+k,x}],do: p)
if({i,j}in m,do: 0,else: Enum.find(m,fn{x,y}->x<=i and y<=j and(x==i or y==j or i-x==j-y)end))end
