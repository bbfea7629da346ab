func f(i,j int)(int,int){
c:=map[[2]int]int{}
t:=map[int]int{}
d:=0
for a:=0;a<99;a++{if t[a]<1{t[a]++;t[a+d]++;c[[2]int{a,a+d}]++;c[[2]int{a+d,a}]++;d++}}
if c[[2]int{i,j}]>0{return -1,-1}
for k:=1;;k++{for _,m:=range[][]int{{k,k},{0,k},{k,0}}{if x,y:=i-m[0],j-m[1];c[[2]int{x,y}]>0{return x,y}}}}
