(i,j)->p=(1+sqrt(5))/2;L=concat([[[k*p\1,k*p\1+k],[k*p\1+k,k*p\1]]|k<-[0..99]]);if(setsearch(Set(L),[i,j]),0,for(n=1,#L,[x,y]=L[n];if(x<=i&&y<=j&&(x==i||y==j||i-x==j-y),return([x,y]))))
