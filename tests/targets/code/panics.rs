// SPDX-License-Identifier: MIT

// Panics in several threads, through frames with destructors, caught by catch_unwind.
// A function left by a panic never fires its return probe.
use std::panic;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

static CATCHER: AtomicUsize = AtomicUsize::new(0);
static MIDDLE: AtomicUsize = AtomicUsize::new(0);
static THROWER: AtomicUsize = AtomicUsize::new(0);
static DROPPED: AtomicUsize = AtomicUsize::new(0);
static MIDDLE_RETURNED: AtomicUsize = AtomicUsize::new(0);
static THROWER_RETURNED: AtomicUsize = AtomicUsize::new(0);

struct Guard(usize);

#[no_mangle]
#[inline(never)]
pub fn dropped(v: usize) {
    DROPPED.fetch_add(1 + (v & 0), Relaxed);
}

impl Drop for Guard {
    fn drop(&mut self) {
        dropped(self.0);
    }
}

#[no_mangle]
#[inline(never)]
pub fn thrower(i: usize) -> usize {
    THROWER.fetch_add(1, Relaxed);
    if i % 3 == 0 {
        panic::panic_any(i);
    }
    THROWER_RETURNED.fetch_add(1, Relaxed);
    i
}

#[no_mangle]
#[inline(never)]
pub fn middle(i: usize) -> usize {
    let guard = Guard(i);
    MIDDLE.fetch_add(1, Relaxed);
    let v = thrower(i) + guard.0;
    MIDDLE_RETURNED.fetch_add(1, Relaxed);
    v
}

#[no_mangle]
#[inline(never)]
pub fn catcher(i: usize) -> usize {
    CATCHER.fetch_add(1, Relaxed);
    match panic::catch_unwind(|| middle(i)) {
        Ok(v) => v,
        Err(caught) => *caught.downcast::<usize>().unwrap() + 1,
    }
}

fn main() {
    panic::set_hook(Box::new(|_| {}));
    // TIMES in the environment: so many times the usual turns
    let times = std::env::var("TIMES").map_or(1, |text| text.parse().unwrap());
    let threads: Vec<_> = (0..6)
        .map(|t| thread::spawn(move || (0..150 * times).map(|i| catcher(i * t)).sum::<usize>()))
        .collect();
    let sum: usize = threads.into_iter().map(|t| t.join().unwrap()).sum();
    println!("sum={}", sum);
    for (name, calls) in [("catcher", &CATCHER), ("middle", &MIDDLE), ("thrower", &THROWER),
                          ("dropped", &DROPPED)] {
        println!("{} {}", name, calls.load(Relaxed));
    }
    println!("return middle {}", MIDDLE_RETURNED.load(Relaxed));
    println!("return thrower {}", THROWER_RETURNED.load(Relaxed));
    std::process::exit(4);
}
