use strict;
use warnings;

chomp(my $turns = <STDIN>);
my (@name, @commands);
for my $s (0, 1) {
    (my $n, $name[$s]) = split ' ', <STDIN>;
    $commands[$s] = [map { [split ' ', scalar <STDIN>] } 1 .. $n];
}

my @score = (0, 0);
my @sum = ([0], [0]);    # defections in the first t turns
my $x = 12;

sub mostly {
    my ($who, $t, $window, $action) = @_;
    $window = $t if $window > $t;
    my $d = $sum[$who][$t] - $sum[$who][$t - $window];
    return 2 * ($action eq 'D' ? $d : $window - $d) > $window;
}

sub holds {
    my ($c, $s, $t) = @_;
    return 1 if $c->[0] eq '*';
    return $t == 0 if $c->[0] eq 'START';
    my $who = $c->[0] eq 'ME' ? $s : 1 - $s;
    my $kind = $c->[1];
    return mostly($who, $t, 1, $c->[2]) if $kind eq '-1';
    return mostly($who, $t, $t, $c->[2]) if $kind eq 'MAX';
    return mostly($who, $t, $c->[2], $c->[3]) if $kind eq 'LAST';
    return $score[$who] > $score[1 - $who];
}

sub choose {
    my ($s, $t) = @_;
    for my $c (@{ $commands[$s] }) {
        next unless holds($c, $s, $t);
        return $c->[-1] if $c->[-1] ne 'RAND';
        $x = (137 * $x + 187) % 256;
        my $ones = sprintf('%b', $x) =~ tr/1//;
        return $ones % 2 ? 'C' : 'D';
    }
    die "no command holds";
}

my %reward = (CC => 2, CD => 0, DC => 3, DD => 1);
for my $t (0 .. $turns - 1) {
    my @y = map { choose($_, $t) } 0, 1;
    for my $s (0, 1) {
        $score[$s] += $reward{ $y[$s] . $y[1 - $s] };
        push @{ $sum[$s] }, $sum[$s][$t] + ($y[$s] eq 'D' ? 1 : 0);
    }
}
print $score[0] == $score[1] ? "DRAW\n" : "$name[$score[0] > $score[1] ? 0 : 1]\n";
