c(a,b){return a>b?c(b,a):a>=0&a==(int)((b-a)*1.6180339887);}
int*f(int*a){int k,i=*a,j=a[1];if(c(i,j))return 0;for(k=1;;k++)if(c(*a=i-k,a[1]=j)||c(*a=i,a[1]=j-k)||c(*a=i-k,a[1]=j-k))return a;}
