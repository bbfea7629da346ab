typedef struct{int x,y;}P;c(a,b){return a>b?c(b,a):a>=0&a==(int)((b-a)*1.6180339887);}
P f(int i,int j){int k;if(c(i,j))return(P){-1,-1};for(k=1;;k++){if(c(i-k,j))return(P){i-k,j};if(c(i,j-k))return(P){i,j-k};if(c(i-k,j-k))return(P){i-k,j-k};}}
