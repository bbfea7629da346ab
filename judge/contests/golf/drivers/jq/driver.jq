{definition}
def golf__show: if type == "string" then . else tojson end;
(input) as $golf__mark | ($golf__mark + "l" + $golf__mark),
(inputs | [splits(" +") | tonumber] as $a
 | try ([{call}] | $golf__mark + "n" + (map(golf__show) | join("\n")) + $golf__mark)
   catch ($golf__mark + "e" + tostring + $golf__mark))
