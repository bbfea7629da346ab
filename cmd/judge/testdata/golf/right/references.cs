bool c(int a,int b){return a>b?c(b,a):a>=0&&a==(int)((b-a)*1.6180339887);}
void f(ref int i,ref int j){if(c(i,j)){i=j=-1;return;}for(int k=1;;k++){if(c(i-k,j)){i-=k;return;}if(c(i,j-k)){j-=k;return;}if(c(i-k,j-k)){i-=k;j-=k;return;}}}
