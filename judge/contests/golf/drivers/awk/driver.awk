{code}
function golf__call(golf__a) { return {call} }
BEGIN {
  getline golf__mark
  printf "%s", golf__mark "l" golf__mark "\n"
  while ((getline golf__line) > 0) {
    golf__n = split(golf__line, golf__a, " ")
    for (golf__k = 1; golf__k <= golf__n; golf__k++) golf__a[golf__k] += 0
    golf__v = golf__call(golf__a)
    printf "%s", golf__mark "n" golf__v golf__mark "\n"
    fflush()
  }
}
