#include<bits/stdc++.h>
using namespace std;
pair<int,int>f(int i,int j){vector<pair<int,int>>m;for(int k=0;k<99;k++){int x=k*(1+sqrt(5))/2;m.push_back({x,x+k});m.push_back({x+k,x});}for(auto p:m)if(p==make_pair(i,j))return{-1,-1};for(auto[x,y]:m)if(x<=i&&y<=j&&(x==i||y==j||i-x==j-y))return{x,y};return{-2,0};}
