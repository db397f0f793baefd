/* the operand becomes the input's type, a conversion the member's */
struct out { uint8_t low; int64_t wide; };
translator struct out < int8_t N > { low = N; wide = N; };
BEGIN { x = 0x1ff; printf("%d %d\n", xlate <struct out> (x).low, xlate <struct out> (x).wide); exit(0); }
