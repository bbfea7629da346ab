turns=gets.to_i
names=[];st=[]
2.times{ n,nm=gets.split; names<<nm; st<<Array.new(n.to_i){gets.split} }
cnt=[{"C"=>[0],"D"=>[0]},{"C"=>[0],"D"=>[0]}]; hist=[[],[]]; sc=[0,0]; x=12
maj=->(w,n,a){ t=hist[w].size; n=t if n>t; 2*(cnt[w][a][t]-cnt[w][a][t-n])>n }
turns.times do |t|
  acts=(0..1).map do |s|
    c=st[s].find{|c|
      if c[0]=="*" then true
      elsif c[0]=="START" then t==0
      else
        w=c[0]=="ME" ? s : 1-s
        case c[1]
        when "-1" then hist[w][-1]==c[2]
        when "MAX" then maj[w,t,c[2]]
        when "LAST" then maj[w,c[2].to_i,c[3]]
        else sc[w]>sc[1-w]
        end
      end }
    y=c[-1]
    if y=="RAND"
      x=(137*x+187)%256
      y=x.to_s(2).count("1").even? ? "D":"C"
    end
    y
  end
  2.times{|s| a=acts[s];b=acts[1-s]
    sc[s]+= a=="C" ? (b=="C" ? 2:0) : (b=="C" ? 3:1)
    hist[s]<<a
    %w[C D].each{|q| cnt[s][q]<<cnt[s][q][-1]+(q==a ? 1:0)} }
end
puts sc[0]==sc[1] ? "DRAW" : names[sc[0]>sc[1] ? 0:1]
