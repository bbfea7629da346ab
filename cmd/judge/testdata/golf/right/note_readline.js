[i,j]=readline().split` `.map(Number);m=[];for(k=0;k<63;k++){x=k*(1+5**.5)/2|0;m.push([x,x+k],[x+k,x])}r=m.some(([x,y])=>x==i&&y==j)?0:m.find(([x,y])=>x<=i&&y<=j&&(x==i||y==j||i-x==j-y));print(r)
