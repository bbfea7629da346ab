golf__lines=("${(@f)$(<&0)}")
golf__mark=$golf__lines[1]
golf__code=${${(%):-%x}:A:h}/answer
. $golf__code </dev/null
(( $+functions[{name}] )) || { echo "the answer is not a function" >&2; exit 1; }
printf '%sl%s\n' "$golf__mark" "$golf__mark"
for golf__line in "${(@)golf__lines[2,-1]}"; do
  golf__a=(${=golf__line})
  {call}
  printf '%sn%s\n' "$golf__mark" "$golf__mark"
done
