use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::Read;

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn inverse(a: i128, m: i128) -> i128 {
    let (mut r, mut q, mut s, mut t) = (a, m, 1i128, 0i128);
    while q != 0 {
        let d = r / q;
        (r, q) = (q, r - d * q);
        (s, t) = (t, s - d * t);
    }
    s.rem_euclid(m)
}

fn two(a: u64, b: u64, x: u64) -> bool {
    let (a, b, x) = (a as i128, b as i128, x as i128);
    let j = (x % a) * inverse(b % a, a) % a;
    j * b <= x
}

fn many(n: &[u64], x: u64) -> bool {
    let m = n[0];
    let mut dist = vec![u64::MAX; m as usize];
    dist[0] = 0;
    let mut heap = BinaryHeap::from([Reverse(0u64)]);
    while let Some(Reverse(d)) = heap.pop() {
        if d > dist[(d % m) as usize] {
            continue;
        }
        for v in &n[1..] {
            let e = d + v;
            let r = (e % m) as usize;
            if e <= x && e < dist[r] {
                dist[r] = e;
                heap.push(Reverse(e));
            }
        }
    }
    dist[(x % m) as usize] <= x
}

fn legal(mut n: Vec<u64>, mut x: u64) -> bool {
    if x <= 1 {
        return false;
    }
    n.sort();
    n.dedup();
    let g = n.iter().fold(0, |g, &v| gcd(g, v));
    if g == 0 || x % g != 0 {
        return true;
    }
    x /= g;
    for v in n.iter_mut() {
        *v /= g;
    }
    match n.len() {
        1 => false,
        2 => !two(n[0], n[1], x),
        _ => !many(&n, x),
    }
}

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let mut words = text.split_whitespace().map(|w| w.parse::<u64>().unwrap());
    let k = words.next().unwrap() as usize;
    let n: Vec<u64> = words.by_ref().take(k).collect();
    let x = words.next().unwrap();
    println!("{}", if legal(n, x) { "LEGAL" } else { "ILLEGAL" });
}
