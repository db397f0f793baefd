// SPDX-License-Identifier: MIT

// Enums of Rust by all encodings: a discriminant, a niche in a pointer, a character or
// another enum, none at all; and tuples. With an argument, a discriminant of no variant.

pub struct Point {
    pub x: i32,
    pub y: i32,
}

pub enum Shape {
    Circle(f64),
    Rect { w: u32, h: u32 },
    Named(String, Point),
    Unit,
}

#[repr(i8)]
pub enum Signed {
    Low(u8) = -100,
    High(u8) = 100,
}

pub enum Plain {
    Red,
    Green = 7,
}

pub enum Single {
    Only(u16),
}

pub struct All {
    pub number: Option<i32>,
    pub nothing: Option<i32>,
    pub text: Option<String>,
    pub no_text: Option<String>,
    pub reference: Option<&'static u8>,
    pub letter: Option<char>,
    pub no_letter: Option<char>,
    pub nested: Option<Option<bool>>,
    pub inner: Option<Option<bool>>,
    pub good: Result<u8, String>,
    pub bad: Result<u8, String>,
    pub low: Signed,
    pub high: Signed,
    pub plain: (Plain, Plain),
    pub single: Single,
    pub pair: (i32, &'static str),
    pub unit: (),
}

#[inline(never)]
#[no_mangle]
pub fn take_shape(s: &Shape) {
    std::hint::black_box(s);
}

#[inline(never)]
#[no_mangle]
pub fn take_signed(s: &Signed) {
    std::hint::black_box(s);
}

#[inline(never)]
#[no_mangle]
pub fn take_all(a: &All) {
    std::hint::black_box(a);
}

fn main() {
    let mut signed = Signed::Low(5);

    if std::env::args().count() > 1 {
        unsafe { *(&mut signed as *mut Signed as *mut i8) = 3 };
        take_signed(&signed);
        return;
    }
    take_shape(&Shape::Circle(2.5));
    take_shape(&Shape::Rect { w: 3, h: 4 });
    take_shape(&Shape::Named(String::from("kettle"), Point { x: -1, y: 2 }));
    take_shape(&Shape::Unit);
    take_all(&All {
        number: Some(9),
        nothing: None,
        text: Some(String::from("text")),
        no_text: None,
        reference: None,
        letter: Some('q'),
        no_letter: None,
        nested: Some(None),
        inner: Some(Some(true)),
        good: Ok(1),
        bad: Err(String::from("bad")),
        low: Signed::Low(1),
        high: Signed::High(2),
        plain: (Plain::Red, Plain::Green),
        single: Single::Only(8),
        pair: (-5, "five"),
        unit: (),
    });
}
