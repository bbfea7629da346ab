use std::io::{self, Read};

/* outer /* inner a < b */ */
#[derive(Clone, Debug)]
struct Point<'a> { name: &'a str, at: (i64, i64) }

fn middle(a: i64, b: i64) -> i64 { (a + b) / 2 }

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let list: Vec<i64> = text.split_whitespace().map(|w| w.parse::<i64>().unwrap()).collect();
    let p = Point { name: r#"a < b"#, at: (list[0], 0) };
    let mut total = 0i64;
    for i in 1..list.len() {
        if list[i] < 0 || list[i] > 100 && i != 2 { continue; }
        total += list[i] * p.at.0;
    }
    while let Some(c) = text.pop() { if c == 'x' { break; } }
    while total >= 1_000 { total -= 7; }
    println!("{} {}", middle(total, p.at.1).max(2), &p.name);
}
