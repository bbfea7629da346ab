package Golf__Driver;
use File::Basename ();
my ($mark, @lines, $code);
{
  local $/;
  my $in = <STDIN>;
  ($mark, @lines) = split /\n/, $in;
  open my $h, "<", File::Basename::dirname(__FILE__) . "/answer" or die $!;
  $code = <$h>;
}
$| = 1;
sub load {
  my $name = shift;
  my $f = eval "package main; use feature qw(say state); no strict; $_[0]\n" . ($name eq "" ? "" : ";defined &$name ? \\&$name : \$$name");
  if ($name eq "" && ref $f ne "CODE") {
    $f = eval "package main; use feature qw(say state); no strict; ($_[0]\n)";
  }
  die $@ if $@;
  die "the answer is not a function\n" unless ref $f eq "CODE";
  $f;
}
sub show { my $v = shift; !defined $v ? "undef" : ref $v eq "ARRAY" ? "[" . join(", ", map { show($_) } @$v) . "]" : "$v" }
my $f = load("{name}", $code);
sub frame { local ($\, $,); print STDOUT $mark . $_[0] . $_[1] . "$mark\n" }
frame("l", "");
for my $line (@lines) {
  my @a = map { 0 + $_ } split " ", $line;
  my @r = eval { {call} };
  if ($@) { frame("e", substr($@, 0, 200)) }
  else { frame("n", join " ", map { show($_) } @r) }
}
