/* SPDX-License-Identifier: MIT */
/* Of scaled values: 0, 100 ... 900 have 287. */
BEGIN { @ = stddev(0); @ = stddev(100); @ = stddev(200); @ = stddev(300); @ = stddev(400); @ = stddev(500); @ = stddev(600); @ = stddev(700); @ = stddev(800); @ = stddev(900); printa("%@d\n", @); normalize(@, 10); printa("%@d\n", @); exit(0); }
