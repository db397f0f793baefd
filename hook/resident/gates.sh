#!/bin/sh
# SPDX-License-Identifier: MIT
# gates.sh IMAGE.ELF [FIRST]: what an image linked for the inside of a process must never
# contain. FIRST: its first function.
set -eu
elf=$1
entry=${2:-resident_enter}
failed=0

refuse() {
	printf 'image: %s\n%s\n' "$1" "$2" >&2
	failed=1
}

undefined=$(nm -u "$elf")
[ -z "$undefined" ] || refuse 'undefined symbols' "$undefined"

relocations=$(readelf -rW "$elf" | grep -E '^[0-9a-f]{8}' || true)
[ -z "$relocations" ] || refuse 'relocations' "$relocations"

tls=$(readelf -lW "$elf" | grep -w TLS || true)
[ -z "$tls" ] || refuse 'thread-local storage' "$tls"

# Before the entry is struct resident_text, or struct trap_text, which is no code.
first=$(nm "$elf" | awk -v entry="$entry" '$3 == entry { print "0x" $1 }')
vectors=$(objdump -d --no-show-raw-insn --start-address="$first" "$elf" |
	grep -E '%(x|y|z)mm[0-9]|%mm[0-7]|%st\b|:[[:space:]]+f(ld|st|add|mul|div|sub|init|xsave|xrstor)' |
	head -n 5 || true)
[ -z "$vectors" ] || refuse 'vector or floating-point registers' "$vectors"

segment=$(readelf -lW "$elf" | awk '$1 == "LOAD" && / RW/')
[ -z "$segment" ] || refuse 'a writable segment' "$segment"

exit $failed
