// LAST looks at the first N actions of the duel.
use std::io::{self, Read};

enum Condition {
    Always,
    Start,
    Previous(usize, bool),
    Most(usize, usize, bool),
    Win(usize),
}

enum Action {
    Fixed(bool),
    Rand,
}

struct Player {
    name: String,
    commands: Vec<(Condition, Action)>,
}

fn read<'a>(words: &mut impl Iterator<Item = &'a str>, me: usize) -> Player {
    let n: usize = words.next().unwrap().parse().unwrap();
    let name = words.next().unwrap().to_string();
    let mut commands = Vec::new();
    for _ in 0..n {
        let who = words.next().unwrap();
        let condition = match who {
            "*" => Condition::Always,
            "START" => Condition::Start,
            _ => {
                let side = if who == "ME" { me } else { 1 - me };
                match words.next().unwrap() {
                    "-1" => Condition::Previous(side, words.next() == Some("D")),
                    "MAX" => Condition::Most(side, usize::MAX, words.next() == Some("D")),
                    "LAST" => {
                        let n = words.next().unwrap().parse().unwrap();
                        Condition::Most(side, n, words.next() == Some("D"))
                    }
                    _ => Condition::Win(side),
                }
            }
        };
        let action = match words.next().unwrap() {
            "RAND" => Action::Rand,
            y => Action::Fixed(y == "D"),
        };
        commands.push((condition, action));
    }
    Player { name, commands }
}

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut words = text.split_whitespace();
    let turns: usize = words.next().unwrap().parse().unwrap();
    let players = [read(&mut words, 0), read(&mut words, 1)];
    let mut sums = [vec![0usize; turns + 1], vec![0usize; turns + 1]];
    let mut lead = 0i64; // the first's reward minus the second's
    let mut x = 12u32;
    for t in 0..turns {
        let mut defects = [false; 2];
        for s in 0..2 {
            let holds = |c: &Condition| match *c {
                Condition::Always => true,
                Condition::Start => t == 0,
                Condition::Previous(who, d) => t > 0 && (sums[who][t] > sums[who][t - 1]) == d,
                Condition::Most(who, n, d) => {
                    let total = n.min(t);
                    let ds = if n == usize::MAX { sums[who][t] } else { sums[who][total] };
                    2 * (if d { ds } else { total - ds }) > total
                }
                Condition::Win(who) => if who == 0 { lead > 0 } else { lead < 0 },
            };
            let (_, action) = players[s].commands.iter().find(|(c, _)| holds(c)).unwrap();
            defects[s] = match action {
                Action::Fixed(d) => *d,
                Action::Rand => {
                    x = (137 * x + 187) % 256;
                    x.count_ones() % 2 == 0
                }
            };
        }
        for s in 0..2 {
            sums[s][t + 1] = sums[s][t] + defects[s] as usize;
        }
        lead += 3 * (defects[0] as i64 - defects[1] as i64);
    }
    match lead {
        0 => println!("DRAW"),
        l => println!("{}", players[(l < 0) as usize].name),
    }
}
