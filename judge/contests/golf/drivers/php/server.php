<?php
$golf__in = fopen("php://stdin", "r"); // descriptor 0 itself; there is no STDIN without a script
$golf__lines = explode("\n", stream_get_contents($golf__in));
$golf__mark = $golf__lines[0];
define("STDOUT", fopen("php://stdout", "w"));
define("STDERR", fopen("php://stderr", "w"));
fwrite(STDOUT, $golf__mark . "l" . $golf__mark . "\n");
foreach (array_slice($golf__lines, 1) as $golf__line) {
  if ($golf__line === "") continue;
  $golf__child = pcntl_fork();
  if ($golf__child < 0) exit(1);
  if (!$golf__child) break;
  pcntl_waitpid($golf__child, $golf__status);
  fwrite(STDOUT, $golf__mark . ($golf__status ? "e$golf__status" : "n") . $golf__mark . "\n");
}
if (!isset($golf__child) || $golf__child) exit;
$argv = array_map(fn($w) => hex2bin(trim($w, "-")), explode(" ", $golf__line));
$golf__line = "/tmp/in" . getmypid();
file_put_contents($golf__line, $argv[0]);
fclose($golf__in);
define("STDIN", fopen($golf__line, "r")); // 0 again
unlink($golf__line);
$argv[0] = "/program/main.php";
$argc = count($argv);
$_SERVER["argv"] = $argv;
$_SERVER["argc"] = $argc;
foreach (array_keys(get_defined_vars()) as $golf__line) if (!strncmp($golf__line, "golf__", 6)) unset($$golf__line);
include __DIR__ . "/answer";
exit;
