{definition}

fn golf_typed<R: std::fmt::Debug>(f: impl Fn({ints}) -> R, a: &[i64]) -> String { format!("{:?}", f({typed})) }
fn golf_typed_list<R: std::fmt::Debug>(f: impl Fn([i32; {arity}]) -> R, a: &[i64]) -> String { format!("{:?}", f([{typed}])) }

fn main() {
    use std::io::{Read, Write};
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).unwrap();
    let mut lines = input.lines();
    let mark = lines.next().unwrap();
    std::panic::set_hook(Box::new(|_| {}));
    println!("{}l{}", mark, mark);
    for line in lines {
        let a: Vec<i64> = line.split(' ').map(|w| w.parse().unwrap()).collect();
        let result = std::panic::catch_unwind(|| {call});
        let out = std::io::stdout();
        let mut out = out.lock();
        match result {
            Ok(text) if text == "()" => writeln!(out, "{}n{}", mark, mark).unwrap(),
            Ok(text) => writeln!(out, "{}v{}{}", mark, text, mark).unwrap(),
            Err(_) => writeln!(out, "{}epanic{}", mark, mark).unwrap(),
        }
        out.flush().unwrap();
    }
}
