variable i' variable j' variable done
: phi s>d 1 0 d>s drop drop ;
: cold ( k -- x y ) dup 161803398875 100000000000 */ dup rot + ;
: same ( x y -- f ) j' @ = swap i' @ = and ;
: ok ( x y -- f ) over i' @ <= over j' @ <= and >r over i' @ = over j' @ = or >r swap i' @ - swap j' @ - = r> or r> and ;
: lost ( -- f ) 0 99 0 do i cold 2dup same if rot drop 1 -rot then swap same if drop 1 then loop ;
: f ( i j -- x y ) j' ! i' ! lost if -1 exit then 99 0 do i cold 2dup ok if unloop exit then swap 2dup ok if unloop exit then 2drop loop ;
