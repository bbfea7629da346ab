use std::io::stdin;

// Write numbers as sums of Fibonacci numbers 1, 2, 3, 5, 8, ..., no two of them
// neighbours. In a lost position the smaller number ends in an even number of
// zeros, and the larger one has one zero more.

fn digits(mut n: u64, fib: &[u64]) -> Vec<bool> {
    let mut d = vec![false; fib.len()];
    for p in (0..fib.len()).rev() {
        if fib[p] <= n {
            n -= fib[p];
            d[p] = true;
        }
    }
    d
}

fn shifted_up(n: u64, fib: &[u64]) -> u64 {
    let d = digits(n, fib);
    (0..fib.len() - 1).filter(|&p| d[p]).map(|p| fib[p + 1]).sum()
}

fn shifted_down(n: u64, fib: &[u64]) -> u64 {
    let d = digits(n, fib);
    (1..fib.len()).filter(|&p| d[p]).map(|p| fib[p - 1]).sum()
}

fn partner(n: u64, fib: &[u64]) -> u64 {
    let zeros = match digits(n, fib).iter().position(|&one| one) {
        None => return 0,
        Some(p) => p,
    };
    if zeros % 2 == 0 {
        shifted_up(n, fib)
    } else {
        shifted_down(n, fib)
    }
}

fn main() {
    let mut fib: Vec<u64> = vec![1, 2];
    while fib.len() < 90 {
        fib.push(fib[fib.len() - 1] + fib[fib.len() - 2]);
    }
    let mut line = String::new();
    stdin().read_line(&mut line).unwrap();
    let v: Vec<u64> = line.split_whitespace().map(|w| w.parse().unwrap()).collect();
    let (i, j) = (v[0], v[1]);
    let (pi, pj) = (partner(i, &fib), partner(j, &fib));
    if pi == j {
        println!("-1");
    } else if pi < j {
        println!("{} {}", i, pi);
    } else if pj < i {
        println!("{} {}", pj, j);
    } else {
        let k = i.abs_diff(j);
        let a = if k == 0 { 0 } else { shifted_up(k - 1, &fib) + 1 };
        let take = i.min(j) - a;
        println!("{} {}", i - take, j - take);
    }
}
