use std::io::stdin;

fn low(k: u64) -> u64 {
    let n = k.checked_mul(k).unwrap().checked_mul(5).unwrap();
    let mut r = (n as f64).sqrt() as u64;
    while r * r > n {
        r -= 1;
    }
    while (r + 1) * (r + 1) <= n {
        r += 1;
    }
    (k + r) / 2
}

fn partner(n: u64) -> u64 {
    let k = low(n) - n;
    if low(k + 1) == n { n + k + 1 } else { k }
}

fn main() {
    let mut line = String::new();
    stdin().read_line(&mut line).unwrap();
    let v: Vec<u64> = line.split_whitespace().map(|w| w.parse().unwrap()).collect();
    let (i, j) = (v[0], v[1]);
    let (a, n) = (low(i.abs_diff(j)), i.min(j));
    if a == n {
        println!("lost");
    } else if a < n {
        println!("{} {}", i - (n - a), j - (n - a));
    } else if i < j {
        println!("{} {}", i, partner(i));
    } else {
        println!("{} {}", partner(j), j);
    }
}
