// The harness of programs in Rust with mutants: native.c runs them.
{hoisted}
{declare}

use std::io::Write;

extern "C" {
    fn assay_main();
}

fn code<T: std::process::Termination>(end: T) -> i32 {
    let good = format!("{:?}", end.report()) == format!("{:?}", std::process::ExitCode::SUCCESS);
    let _ = std::io::stdout().flush();
    i32::from(!good)
}

#[no_mangle]
pub extern "C" fn assay_call(mutant: u32) -> i32 {
    let run = || match mutant {
{call}
        _ => 70,
    };
    std::panic::catch_unwind(run).unwrap_or(101)
}

fn main() {
    unsafe { assay_main() }
}
