// SPDX-License-Identifier: MIT

// Functions whose arguments Go passes in each way: registers of both kinds, on the stack,
// and values in several pieces.
package main

import "fmt"

type pair struct{ a, b int32 }

type thing struct{ n int }

//go:noinline
func ints(a int, b int32, c uint8, p *int) int { return a + int(b) + int(c) + *p }

//go:noinline
func (t *thing) method(x float64, y int, z float32) float64 {
	return float64(t.n) + x + float64(y) + float64(z)
}

//go:noinline
func text(s string, n int) (int, string) { return len(s) + n, s }

//go:noinline
func many(a, b, c, d, e, f, g, h, i, j, k int) int {
	return a + b + c + d + e + f + g + h + i + j + k
}

//go:noinline
func array(v [2]int, n int) int { return v[0] + v[1] + n }

//go:noinline
func parts(v [1]int, p pair, n int, none struct{}, last int) int {
	return v[0] + int(p.a+p.b) + n + last
}

//go:noinline
func words(v []int, s []string, n int) int { return len(v) + len(s) + n }

func main() {
	n := 7
	fmt.Println(ints(1, -2, 3, &n), (&thing{4}).method(1.5, 2, 2.5))
	fmt.Println(text("abc", 5))
	fmt.Println(words([]int{4, -5}, []string{"c", "go"}, 6))
	fmt.Println(many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11))
	fmt.Println(array([2]int{1, 2}, 3), parts([1]int{1}, pair{2, 3}, 4, struct{}{}, 6))
}
