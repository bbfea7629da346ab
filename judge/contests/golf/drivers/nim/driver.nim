{definition}

import strutils as golfstrutils, sequtils as golfsequtils
proc golfShow[T](v: T): string =
  when T is tuple:
    for x in v.fields: result.add (if result.len > 0: ", " else: "") & golfShow(x)
    result = "(" & result & ")"
  elif T is seq:
    for x in v: result.add (if result.len > 0: ", " else: "") & golfShow(x)
    result = "[" & result & "]"
  elif compiles($v): $v
  else: repr(v)
template golfTake(call: untyped) =
  when typeof(call) is void:
    call
  else:
    golfKind = "v"
    golfText = golfShow(call)
template golfLeft(now, changed: untyped) =
  if golfKind == "n":
    golfKind = if changed: "c" else: "u"
    golfText = golfShow(now)
let golfMark = stdin.readLine
stdout.write golfMark, "l", golfMark, "\n"
stdout.flushFile
for golfLine in stdin.lines:
  let golfA {.used.} = golfLine.splitWhitespace.mapIt(it.parseInt)
  var golfB {.used.} = golfA
  var golfC {.used.} = [{args}]
  var golfKind = "n"
  var golfText = ""
  try:
    when compiles({function}({args})): golfTake({function}({args}))
    elif compiles({function}({floats})): golfTake({function}({floats}))
    elif compiles({function}(golfA)): golfTake({function}(golfA))
    elif compiles({function}([{args}])): golfTake({function}([{args}]))
    elif compiles({function}(({args},))): golfTake({function}(({args},)))
    elif compiles({function}(golfLine)): golfTake({function}(golfLine))
    elif compiles({function}{curry}): golfTake({function}{curry})
    elif compiles({function}(golfB)):
      golfTake({function}(golfB))
      golfLeft(golfB, golfB != golfA)
    elif compiles({function}(golfC)):
      golfTake({function}(golfC))
      golfLeft(golfC, golfC != [{args}])
    elif compiles({function}({variables})):
      golfTake({function}({variables}))
      golfLeft(golfB, golfB != golfA)
    else: golfTake({function}({args}))
  except Exception as golfE:
    golfKind = "e"
    golfText = golfE.msg
  stdout.write golfMark, golfKind, golfText, golfMark, "\n"
  stdout.flushFile
