// SPDX-License-Identifier: MIT

// Strings, slices and vectors of Rust, as arguments.

pub struct Order {
    pub number: u64,
    pub name: String,
    pub items: Vec<String>,
}

#[inline(never)]
#[no_mangle]
pub fn take_str(s: &str, n: u64) -> u64 {
    std::hint::black_box(s);
    std::hint::black_box(n)
}

#[inline(never)]
#[no_mangle]
pub fn take_string(s: &String, v: &Vec<u32>) {
    std::hint::black_box((s, v));
}

#[inline(never)]
#[no_mangle]
pub fn take_slice(v: &[u16]) {
    std::hint::black_box(v);
}

#[inline(never)]
#[no_mangle]
pub fn take_order(o: &Order) {
    std::hint::black_box(o);
}

fn main() {
    let order = Order {
        number: 7,
        name: String::from("Grüße"),
        items: vec![String::from("bolt"), String::from("nut \"5\""), String::new()],
    };

    take_str("a str of a longer text".split_at(5).0, 3);
    take_str("", 4);
    take_string(&order.name, &(0..100).collect());
    take_string(&String::from("plain"), &Vec::new());
    take_slice(&[10, 20, 30]);
    take_order(&order);
}
