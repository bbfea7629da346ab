def f(i,j):
 while 1:print(i,j)
