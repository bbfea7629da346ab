w(i,j){int t[999]={0},d=0,a=0;for(;a<=i|a<=j;a++)if(!t[a]){if(a==i&a+d==j|a==j&a+d==i)return 1;t[a]=t[a+d]=1;d++;}return 0;}
f(int*p){int i=*p,j=p[1],k;if(w(i,j)){*p=p[1]=-1;return;}for(k=1;;k++){if(k<=i&k<=j&&w(i-k,j-k)){*p-=k;p[1]-=k;return;}if(k<=j&&w(i,j-k)){p[1]-=k;return;}if(k<=i&&w(i-k,j)){*p-=k;return;}}}
