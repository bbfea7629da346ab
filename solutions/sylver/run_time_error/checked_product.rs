// The product is checked for overflow, and there the program ends.
use std::io::Read;

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn two(a: i64, b: i64, x: i64) -> bool {
    let g = gcd(a, b);
    if x % g != 0 {
        return false;
    }
    let (a, b, x) = (a / g, b / g, x / g);
    let (mut r, mut q, mut s, mut t) = (b % a, a, 1i64, 0i64);
    while q != 0 {
        let d = r / q;
        (r, q) = (q, r - d * q);
        (s, t) = (t, s - d * t);
    }
    let j = (x % a).checked_mul(s.rem_euclid(a)).expect("product of two numbers") % a;
    j.checked_mul(b).expect("sum below 2^63") <= x
}

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let all: Vec<i64> = text.split_whitespace().map(|w| w.parse().unwrap()).collect();
    let x = all[all.len() - 1];
    let mut n = all[1..all.len() - 1].to_vec();
    n.sort();
    n.dedup();
    let sum = x <= 1
        || match n.len() {
            0 => false,
            1 => x % n[0] == 0,
            2 => two(n[0], n[1], x),
            _ => {
                let m = n[0] as usize;
                let mut w = vec![x + 1; m];
                w[0] = 0;
                for &v in &n[1..] {
                    let d = gcd(v, n[0]) as usize;
                    for c in 0..d {
                        let mut r = c;
                        for _ in 0..2 * m / d {
                            let s = (r + v as usize) % m;
                            w[s] = w[s].min(w[r] + v);
                            r = s;
                        }
                    }
                }
                w[x as usize % m] <= x
            }
        };
    println!("{}", if sum { "ILLEGAL" } else { "LEGAL" });
}
