(lambda(i j)(let((l(loop for k below 99 for x =(floor(* k(/(+ 1(sqrt 5d0))2)))collect(list x(+ x k))collect(list(+ x k)x))))
(if(member(list i j)l :test'equal)nil
(find-if(lambda(p)(let((x(car p))(y(cadr p)))(and(<= x i)(<= y j)(or(= x i)(= y j)(=(- i x)(- j y))))))l))))
