mapfile -t golf__lines
golf__mark=${golf__lines[0]}
golf__code="${BASH_SOURCE[0]%/*}/answer"
. "$golf__code" </dev/null
declare -F {name} >/dev/null || { echo "the answer is not a function" >&2; exit 1; }
printf '%sl%s\n' "$golf__mark" "$golf__mark"
for golf__line in "${golf__lines[@]:1}"; do
  golf__a=($golf__line)
  {call}
  printf '%sn%s\n' "$golf__mark" "$golf__mark"
done
