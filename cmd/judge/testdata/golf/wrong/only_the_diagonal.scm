(define(f i j)
(define(c k)(inexact->exact(floor(* k(/(+ 1(sqrt 5))2)))))
(define L(let l((k 0))(if(< k 99)(cons(list(c k)(+ k(c k)))(cons(list(+ k(c k))(c k))(l(+ k 1))))'())))
(if(member(list i j)L)0(let l((L L))(let((x(caar L))(y(cadar L)))(if(and(<= x i)(<= y j)(or(=(- i x)(- j y))))(car L)(l(cdr L)))))))
