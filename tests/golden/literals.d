BEGIN
{
	0; 7; 017; 0xfF; 5u; 5l; 5ul; 5ll; 5ull; 18446744073709551615u;
	0xffffffffffffffff; 'a'; 'ab'; '\n'; '\''; '\x41'; '\101'; '\c';
	""; "a\tb\"\\\n"; "\x41\102\q"; "a/*b*/c"; $target; $$target; a \
	+ b
}
