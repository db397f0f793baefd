// SPDX-License-Identifier: MIT
// Calls getuid(2) of the C library below managed frames, and removes its perf map:
// mono --jitmap workload.exe CALLS
using System;
using System.Diagnostics;
using System.IO;
using System.Runtime.InteropServices;

class Workload {
	[DllImport("libc.so.6")]
	static extern uint getuid();

	static uint Nest(int depth) {
		return depth > 0 ? Nest(depth - 1) + 1 : getuid();
	}

	static void Main(string[] arguments) {
		int calls = int.Parse(arguments[0]);
		Stopwatch time = Stopwatch.StartNew();
		for (int i = 0; i < calls; i++)
			Nest(20);
		long ns = time.ElapsedTicks * (1000000000L / Stopwatch.Frequency);
		File.Delete("/tmp/perf-" + Process.GetCurrentProcess().Id + ".map");
		Console.WriteLine("calls {0} ns {1} best 0 ps", calls, ns);
	}
}
