: c 2dup > if swap then over 0< if 2drop 0 exit then over - 16180339887 10000000000 */ = ;
:noname { x y } x y c if -1 exit then 100 1 do x i - y c if x i - y unloop exit then x y i - c if x y i - unloop exit then x i - y i - c if x i - y i - unloop exit then loop ;
