// SPDX-License-Identifier: MIT

// Functions, methods and generics, whose names no linker reads.
mod shop {
    pub struct Till(pub u64);

    pub trait Pay {
        fn pay(&mut self, amount: u64) -> u64;
    }

    impl Pay for Till {
        #[inline(never)]
        fn pay(&mut self, amount: u64) -> u64 {
            self.0 += std::hint::black_box(amount);
            self.0
        }
    }

    impl Till {
        #[inline(never)]
        pub fn open(amount: u64) -> Till {
            Till(std::hint::black_box(amount))
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
        std::hint::black_box(best)
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
