w(i,j){int t[999]={0},d=0,a=0;for(;a<=i|a<=j;a++)if(!t[a]){if(a==i&a+d==j|a==j&a+d==i)return 1;t[a]=t[a+d]=1;d++;}return 0;}
f(i,j,k){if(w(i,j))printf("-");else for(k=1;;k++){if(k<=i&k<=j&&w(i-k,j-k))return printf("%d %d",i-k,j-k);if(k<=j&&w(i,j-k))return printf("%d %d",i,j-k);if(k<=i&&w(i-k,j))return printf("%d %d",i-k,j);}}
