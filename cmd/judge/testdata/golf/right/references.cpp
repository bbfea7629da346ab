#include<bits/stdc++.h>
[](int&i,int&j){std::vector<std::pair<int,int>>m;for(int k=0;k<99;k++){int x=k*(1+sqrt(5))/2;m.push_back({x,x+k});m.push_back({x+k,x});}for(auto p:m)if(p==std::make_pair(i,j)){i=j=-1;return;}for(auto[x,y]:m)if(x<=i&&y<=j&&(x==i||y==j||i-x==j-y)){i=x;j=y;return;}}
