/* the exact type first, then one that it fits */
struct out { int which; };
translator struct out < long N > { which = 1; };
translator struct out < int N > { which = 2; };
translator struct out < string S > { which = 3; };
BEGIN {
	printf("%d %d %d %d\n", xlate <struct out> (1).which, xlate <struct out> (1l).which,
	    xlate <struct out> ((char)1).which > 0, xlate <struct out> ("x").which);
	exit(0);
}
