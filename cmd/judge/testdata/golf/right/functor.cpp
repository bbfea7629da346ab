#include<array>
struct W{bool c(int a,int b){return a>b?c(b,a):a>=0&&a==int((b-a)*1.6180339887);}std::array<int,2>operator()(int i,int j){if(c(i,j))return{-1,-1};for(int k=1;;k++){if(c(i-k,j))return{i-k,j};if(c(i,j-k))return{i,j-k};if(c(i-k,j-k))return{i-k,j-k};}}}f;
