import java.util.*;
List<Integer>f(int i,int j){for(int q=2;q-->0;)for(int k=0;k<63;k++){int x=(int)(k*(1+Math.sqrt(5))/2);for(int t=0;t<2;t++){int a=t<1?x:x+k,b=t<1?x+k:x;if(q>0&&a==i&&b==j)return null;if(q<1&&a<=i&&b<=j&&(a==i||b==j||i-a==j-b))return Arrays.asList(a,b);}}return null;}
