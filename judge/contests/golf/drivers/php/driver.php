<?php
ob_implicit_flush();
function golf__frame($kind, $text) { global $golf__mark; fwrite(STDOUT, $golf__mark . $kind . $text . $golf__mark . "\n"); }
function golf__show($v) {
  if (is_string($v)) return $v;
  if ($v instanceof Traversable) $v = iterator_to_array($v, false);
  if (is_array($v)) return json_encode($v);
  return var_export($v, true);
}
function golf__load($golf__name) {
  $golf__code = preg_replace('/^<\?(?:php\b)?/', "", trim(file_get_contents(__DIR__ . "/answer")));
  if ($golf__name === "") {
    try {
      return eval("return (" . rtrim($golf__code, "; \n") . "\n);");
    } catch (ParseError $e) {
      $golf__at = strrpos(rtrim($golf__code, "; \n"), ";");
      if ($golf__at === false) throw $e;
      return eval(substr($golf__code, 0, $golf__at + 1) . "return (" . rtrim(substr($golf__code, $golf__at + 1), "; \n") . "\n);");
    }
  }
  eval($golf__code . "\n;");
  foreach (get_defined_vars() as $golf__k => $golf__v) if (strncmp($golf__k, "golf__", 6)) $GLOBALS[$golf__k] = &$$golf__k;
  return isset($$golf__name) ? $$golf__name : $golf__name;
}
$golf__lines = explode("\n", stream_get_contents(STDIN));
$golf__mark = $golf__lines[0];
$golf__f = golf__load("{name}");
if (!is_callable($golf__f)) { fwrite(STDERR, "the answer is not a function\n"); exit(1); }
golf__frame("l", "");
foreach (array_slice($golf__lines, 1) as $golf__line) {
  if ($golf__line === "") continue;
  $a = array_map("intval", explode(" ", $golf__line));
  $f = $golf__f;
  try {
    $golf__v = {call};
    golf__frame("n", golf__show($golf__v));
  } catch (Throwable $golf__e) {
    golf__frame("e", substr($golf__e->getMessage(), 0, 200));
  }
}
