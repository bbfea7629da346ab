function f(i,j,k,x,y,t,q){for(k=0;k<99;k++){x=int(k*(1+sqrt(5))/2);y=x+k;if(x==i&&y==j||x==j&&y==i)return "x"}
for(k=0;k<99;k++){x=int(k*(1+sqrt(5))/2);y=x+k;for(q=0;q<2;q++){if(x<=i&&y<=j&&(x==i||y==j||i-x==j-y))return x" "y;t=x;x=y;y=t}}}
