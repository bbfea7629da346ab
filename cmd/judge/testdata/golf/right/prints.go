import ."fmt"
func f(i,j int){for q:=0;q<2;q++{for k:=0;k<63;k++{x:=int(float64(k)*1.618033988749895);for _,p:=range[][]int{{x,x+k},{x+k,x}}{a,b:=p[0],p[1];if q<1&&a==i&&b==j{Print("x");return};if q>0&&a<=i&&b<=j&&(a==i||b==j||i-a==j-b){Print(a,b);return}}}}}
