use MONKEY-SEE-NO-EVAL;
my ($mark, @lines) := do { my @all = $*IN.lines; (@all[0], @all[1..*]) };
sub golf-frame($kind, $text) { $*OUT.print($mark ~ $kind ~ $text ~ $mark ~ "\n"); $*OUT.flush }
my $code = $*PROGRAM.parent.add("answer").slurp;
my $name = '{name}';
my $f;
if $name {
  $name = '&' ~ $name unless $name.starts-with('&' | '$');
  $f = EVAL("no strict;\n" ~ $code ~ "\n;" ~ $name);
} else {
  $f = try { EVAL("no strict;\n(" ~ $code.trim.subst(/';'+$/, "") ~ "\n)") } // EVAL("no strict;\n" ~ $code);
}
die "the answer is not a function" unless $f ~~ Callable;
sub golf-show($v) { $v ~~ Str ?? $v !! $v ~~ Nil ?? "Nil" !! $v.gist }
golf-frame("l", "");
for @lines -> $line {
  next unless $line;
  my @a = $line.words.map(*.Int);
  my ($kind, $text);
  {
    CATCH { default { $kind = "e"; $text = .message // .gist } }
    my $v = {call};
    $kind = ($v === Nil || $v === True && False) ?? "n" !! "v";
    $kind = "n" if $v === True;
    $text = golf-show($v);
  }
  golf-frame($kind, $text);
}
