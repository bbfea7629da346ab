<?php
// PHP turns an integer that overflows into a float.
$nums = array_map('intval', explode(' ', trim(fgets(STDIN))));
$x = intval(fgets(STDIN));
array_shift($nums);
$nums = array_values(array_unique($nums));
sort($nums);

function gcd($a, $b) {
    while ($b) [$a, $b] = [$b, $a % $b];
    return $a;
}

function two($a, $b, $x) {
    $g = gcd($a, $b);
    if ($x % $g) return false;
    $a = intdiv($a, $g);
    $b = intdiv($b, $g);
    $x = intdiv($x, $g);
    [$r, $q, $s, $t] = [$b % $a, $a, 1, 0];
    while ($q) {
        $d = intdiv($r, $q);
        [$r, $q] = [$q, $r - $d * $q];
        [$s, $t] = [$t, $s - $d * $t];
    }
    $s = ($s % $a + $a) % $a;
    return fmod($x % $a * $s, $a) * $b <= $x;
}

function many($nums, $x) {
    $m = $nums[0];
    $w = array_fill(0, $m, $x + 1);
    $w[0] = 0;
    foreach (array_slice($nums, 1) as $n) {
        $d = gcd($n, $m);
        for ($c = 0; $c < $d; $c++) {
            $r = $c;
            for ($i = 0; $i < 2 * $m / $d; $i++) {
                $s = ($r + $n) % $m;
                $w[$s] = min($w[$s], $w[$r] + $n);
                $r = $s;
            }
        }
    }
    return $w[$x % $m] <= $x;
}

$sum = $x <= 1;
if (!$sum && count($nums) == 1) $sum = $x % $nums[0] == 0;
if (!$sum && count($nums) == 2) $sum = two($nums[0], $nums[1], $x);
if (!$sum && count($nums) > 2) $sum = many($nums, $x);
echo $sum ? "ILLEGAL" : "LEGAL", "\n";
