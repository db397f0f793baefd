#!/bin/sh
# SPDX-License-Identifier: MIT
# gates.sh RESIDENT.ELF: what the linked resident image must never contain.
set -eu
elf=$1
failed=0

refuse() {
	printf 'resident: %s\n%s\n' "$1" "$2" >&2
	failed=1
}

undefined=$(nm -u "$elf")
[ -z "$undefined" ] || refuse 'undefined symbols' "$undefined"

relocations=$(readelf -rW "$elf" | grep -E '^[0-9a-f]{8}' || true)
[ -z "$relocations" ] || refuse 'relocations' "$relocations"

tls=$(readelf -lW "$elf" | grep -w TLS || true)
[ -z "$tls" ] || refuse 'thread-local storage' "$tls"

# Before the entry is struct resident_text, which is no code.
first=$(nm "$elf" | awk '$3 == "resident_enter" { print "0x" $1 }')
vectors=$(objdump -d --no-show-raw-insn --start-address="$first" "$elf" |
	grep -E '%(x|y|z)mm[0-9]|%mm[0-7]|%st\b|:[[:space:]]+f(ld|st|add|mul|div|sub|init|xsave|xrstor)' |
	head -n 5 || true)
[ -z "$vectors" ] || refuse 'vector or floating-point registers' "$vectors"

segment=$(readelf -lW "$elf" | awk '$1 == "LOAD" && / RW/')
[ -z "$segment" ] || refuse 'a writable segment' "$segment"

exit $failed
