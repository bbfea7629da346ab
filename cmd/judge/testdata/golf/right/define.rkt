(define(f i j)
(define L(append*(for/list([k 99])(define x(exact-floor(* k(/(+ 1(sqrt 5))2))))(list(list x(+ x k))(list(+ x k)x)))))
(if(member(list i j)L)0(for/first([p L]#:when(let([x(car p)][y(cadr p)])(and(<= x i)(<= y j)(or(= x i)(= y j)(=(- i x)(- j y))))))p)))
