func f(p[]int){i,j:=p[0],p[1];for k:=1;k<100;k++{for _,q:=range[][]int{{i-k,j},{i,j-k},{i-k,j-k}}{a,b:=q[0],q[1];if a>b{a,b=b,a};if a>=0&&a==int(float64(b-a)*1.618034){copy(p,q);return}}}}
