// SPDX-License-Identifier: MIT

// Functions, methods and generics, whose names no linker reads.

// What the compiler can say nothing about.
#[inline(always)]
fn opaque<T: Copy>(value: T) -> T {
    unsafe { std::ptr::read_volatile(&value) }
}

mod shop {
    pub struct Till(pub u64);

    pub trait Pay {
        fn pay(&mut self, amount: u64) -> u64;
    }

    impl Pay for Till {
        #[inline(never)]
        fn pay(&mut self, amount: u64) -> u64 {
            self.0 += super::opaque(amount);
            self.0
        }
    }

    impl Till {
        #[inline(never)]
        pub fn open(amount: u64) -> Till {
            Till(super::opaque(amount))
        }
    }

    #[inline(never)]
    pub fn largest<T: PartialOrd + Copy>(values: &[T]) -> T {
        let mut best = values[0];
        for v in values {
            if *v > best {
                best = *v;
            }
        }
        super::opaque(best)
    }
}

use shop::Pay;

fn main() {
    let mut till = shop::Till::open(5);
    for i in 0..3 {
        till.pay(i);
    }
    println!("{} {}", till.0, shop::largest(&[3u64, 9, 4]));
}
