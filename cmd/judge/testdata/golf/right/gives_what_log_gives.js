(i,j)=>{for(let k=1;k<100;k++)for(let[a,b]of[[i-k,j],[i,j-k],[i-k,j-k]])if(a>=0&b>=0&&Math.min(a,b)==(Math.abs(a-b)*1.618034|0))return console.log(a,b)}
