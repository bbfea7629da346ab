function [a,b]=g(i,j)
k=0:99;x=floor(k*(1+sqrt(5))/2);m=[x' x'+k';x'+k' x'];
if any(m(:,1)==i&m(:,2)==j) a=b=-1; else
m=m(m(:,1)<=i&m(:,2)<=j&(m(:,1)==i|m(:,2)==j|i-m(:,1)==j-m(:,2)),:);a=m(1,1);b=m(1,2);end
end
