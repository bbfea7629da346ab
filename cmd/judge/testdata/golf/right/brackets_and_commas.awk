{i=$1;j=$2;d=a=0;for(;a<199;a++)if(!t[a]){t[a]=t[a+d]=c[a,a+d]=c[a+d,a]=1;d++}
if(c[i,j])print"x";else for(k=1;!z;k++){if(c[i-k,j-k])z=(i-k)", "(j-k);else if(c[i,j-k])z=i", "(j-k);else if(c[i-k,j])z=(i-k)", "j}
if(z)print"("z")"}
