// SPDX-License-Identifier: MIT
// Calls getuid(2) of the C library below frames of JavaScript, and removes its perf map:
// node --perf-basic-prof workload.js CALLS
const fs = require('fs');
const calls = Number(process.argv[2]);

function nest(depth) {
	return depth ? nest(depth - 1) : process.getuid();
}

function run(n) {
	const start = process.hrtime.bigint();
	for (let i = 0; i < n; i++)
		nest(20);
	return process.hrtime.bigint() - start;
}

const ns = run(calls);
fs.rmSync(`/tmp/perf-${process.pid}.map`, {force: true});
console.log(`calls ${calls} ns ${ns} best 0 ps`);
