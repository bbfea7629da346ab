(λ(i j)
(define L(append*(for/list([k 99])(define x(exact-floor(* k(/(+ 1(sqrt 5))2))))(list(cons x(+ x k))(cons(+ x k)x)))))
(if(member(cons i j)L)#f(for/first([p L]#:when(let([x(car p)][y(cdr p)])(and(<= x i)(<= y j)(or(= x i)(= y j)(=(- i x)(- j y))))))p)))
