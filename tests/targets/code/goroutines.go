// SPDX-License-Identifier: MIT

// Goroutines that grow their stacks, panic and recover, while the collector runs. A
// function that finds its stack too small begins anew: only those without that check
// have an exact number of entries; returns are exact everywhere.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
)

var nLeaf, nReturn, deepReturned, throwerReturned, catcherReturned, failingReturned int64

//go:noinline
//go:nosplit
func leaf(v int64) int64 {
	nLeaf++ // the first goroutine only
	return v*3 + 1
}

//go:noinline
//go:nosplit
func shared(v int64) int64 {
	atomic.AddInt64(&nReturn, 1)
	return v - 1
}

//go:noinline
func deep(levels int) int64 {
	var room [16]int64
	room[levels%16] = int64(levels)
	if levels > 0 {
		room[0] += deep(levels - 1)
	}
	atomic.AddInt64(&deepReturned, 1)
	return room[0] + room[levels%16]
}

//go:noinline
func thrower(i int) int {
	if i%3 == 0 {
		panic(i)
	}
	atomic.AddInt64(&throwerReturned, 1)
	return i
}

//go:noinline
func catcher(i int) (v int) {
	defer func() {
		atomic.AddInt64(&catcherReturned, 1)
		if caught := recover(); caught != nil {
			v = -caught.(int)
		}
	}()
	return thrower(i)
}

// After recover() the runtime jumps to the call of deferreturn, which comes right after the
// panic.
//
//go:noinline
func failing(i int) (v int) {
	defer func() {
		atomic.AddInt64(&failingReturned, 1)
		if caught := recover(); caught != nil {
			v = -caught.(int)
		}
	}()
	if i%3 != 0 {
		panic(i)
	}
	return i
}

func worker(n int, results chan<- int64, done *sync.WaitGroup) {
	defer done.Done()
	sum := deep(20 + n)
	for i := 0; i < 10; i++ {
		sum += shared(int64(i)) + int64(catcher(i)) + int64(failing(i))
		runtime.Gosched()
	}
	results <- sum + int64(len(make([]byte, 1000+n)))
}

func main() {
	var done sync.WaitGroup
	var sum int64
	// TIMES in the environment: so many times the usual turns
	times := 1
	if text, isSet := os.LookupEnv("TIMES"); isSet {
		times, _ = strconv.Atoi(text)
	}
	results := make(chan int64, 8)
	for i := 0; i < 30*times; i++ {
		sum += leaf(int64(i))
		done.Add(1)
		go worker(i%100, results, &done)
		if i%15 == 0 {
			runtime.GC()
		}
	}
	go func() {
		done.Wait()
		close(results)
	}()
	for v := range results {
		sum += v
	}
	fmt.Printf("sum=%d\n", sum)
	fmt.Printf("main.leaf %d\nmain.shared %d\n", nLeaf, nReturn)
	fmt.Printf("return main.deep %d\n", deepReturned)
	fmt.Printf("return main.thrower %d\nreturn main.catcher %d\n", throwerReturned,
		catcherReturned)
	fmt.Printf("return main.failing %d\n", failingReturned)
	os.Exit(6)
}
