#lang racket/base
(require racket/port racket/string)
(define lines (port->lines (current-input-port)))
(define mark (car lines))
(define here (let-values ([(base name dir?) (split-path (path->complete-path (find-system-path 'run-file)))]) (build-path base "answer")))
(define ns (make-base-empty-namespace))
(define (frame kind text) (display mark) (display kind) (display text) (display mark) (newline) (flush-output))
(define (show v)
  (cond [(vector? v) (show (vector->list v))]
        [(pair? v) (string-append "(" (let loop ([v v]) (cond [(null? v) ""] [(pair? v) (string-append (show (car v)) (if (null? (cdr v)) "" " ") (loop (cdr v)))] [else (string-append ". " (show v))])) ")")]
        [(string? v) v]
        [else (format "~s" v)]))
(define f
  (parameterize ([current-namespace ns])
    (namespace-require 'racket)
    (define code (regexp-replace #rx"^#lang[^\n]*" (call-with-input-file here port->string) ""))
    (define in (open-input-string code))
    (define last (let loop ([v (void)]) (define form (parameterize ([read-accept-reader #t]) (read in))) (if (eof-object? form) v (loop (call-with-values (lambda () (eval form)) (lambda all (if (null? all) v (car all))))))))
    (if (string=? "{name}" "") last (eval (string->symbol "{name}")))))
(unless (procedure? f) (error "the answer is not a function"))
(frame "l" "")
(for ([line (cdr lines)])
  (define a (map string->number (string-split line)))
  (parameterize ([current-namespace ns])
    (with-handlers ([(lambda (e) (not (exn:break? e))) (lambda (e) (frame "e" (if (exn? e) (exn-message e) (format "~s" e))))])
      (define vs (call-with-values (lambda () {call}) list))
      (frame (if (or (null? vs) (void? (car vs))) "n" "v") (string-join (map show vs) " ")))))
