fun f(i:Int,j:Int):Any{val m=(0..99).flatMap{val x=(it*(1+Math.sqrt(5.0))/2).toInt();listOf(x to x+it,x+it to x)}
return if((i to j)in m)0 else m.first{(x,y)->x<=i&&y<=j&&(x==i||y==j||i-x==j-y)}}
