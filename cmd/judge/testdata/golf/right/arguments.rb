i,j=$*.map &:to_i
m=(0..62).flat_map{|k|x=(k*(1+5**0.5)/2).to_i;[[x,x+k],[x+k,x]]}
p m.include?([i,j])?0:m.find{|x,y|x<=i&&y<=j&&(x==i||y==j||i-x==j-y)}
