c(X,Y):-between(0,99,K),A is floor(K*(1+sqrt(5))/2),B is A+K,(X=A,Y=B;X=B,Y=A).
f(I,J,X,Y):- \+c(I,J),c(X,Y),X=<I,Y=<J,(X=I;Y=J;I-X=:=J-Y).
