create golf-mark 200 allot variable golf-size
create golf-line 1000 allot variable golf-length variable golf-word
: golf-frame golf-mark golf-size @ type emit ;
: golf-end golf-mark golf-size @ type cr stdout flush-file drop ;
: golf-show depth 0 ?do depth i - 1- pick . loop ;
: golf-call golf-line golf-length @ evaluate golf-word @ execute ;
golf-mark 200 stdin read-line 2drop golf-size !
s" ./answer" included
{call}
char l golf-frame golf-end
: golf-each ['] golf-call catch dup if >r clearstack [char] e golf-frame r> . else drop [char] n golf-frame golf-show then golf-end clearstack ;
: golf-all begin golf-line 1000 stdin read-line throw while golf-length ! golf-each repeat ;
clearstack golf-all
bye
