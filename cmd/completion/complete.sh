#!/bin/sh
# SPDX-License-Identifier: MIT
# What the completions of bash and zsh offer that only dtrace knows, a line each:
#
#	complete probes START [-p PID | -c COMMAND]   descriptions that begin with START
#	complete tools                                names that -s takes
#
# Functions are those that `dtrace -l` lists for the process.
set -u

bin=$(dirname "$0")/../../bin

# listed COLUMN DESCRIPTION [-p PID | -c COMMAND]: a column of `dtrace -l`
listed()
{
	column=$1 description=$2
	shift 2
	timeout 10 "$bin/dtrace" -l "$@" -n "$description" 2>/dev/null </dev/null |
		awk -v n="$column" 'NR > 1 && NF >= n {print $n}' | sort -u
}

modules()
{
	echo a.out
	if [ "${1-}" = -p ]; then
		awk '$6 ~ /^\// && $2 ~ /x/ {sub(".*/", "", $6); print $6}' "/proc/$2/maps" \
			2>/dev/null | sort -u
	else
		echo libc
	fi
}

providers()
{
	printf '%s\n' "fpid\$target:" "pid\$target:" syscall:: proc::: diag::: dtrace::: \
		profile- tick- BEGIN END ERROR
}

# each START with one of the lines that may follow it
probes()
{
	current=$1
	shift
	provider=${current%%:*}
	known=${current%:*}:
	case $current in
	dtrace:*:*:* | proc:*:*:* | diag:*:*:*)
		timeout 10 "$bin/dtrace" -l -P "$provider" 2>/dev/null |
			awk -v s="$known" 'NR > 1 {print s $3}'
		;;
	*:*:*:*)
		printf '%s\n' "${known}entry" "${known}return"
		;;
	syscall:*:*)
		listed 3 "syscall::${current##*:}*:entry" | sed "s|.*|$known&:|"
		;;
	*pid*:*:*)
		module=${current#*:}
		module=${module%%:*}
		[ $# -eq 0 ] || listed 4 "pid\$target:$module:${current##*:}*:entry" "$@" |
			sed "s|.*|$known&:|"
		;;
	*pid*:*)
		modules "$@" | sed "s|.*|$known&:|"
		;;
	*)
		providers
		;;
	esac | awk 'BEGIN {start = ARGV[1]; ARGC = 1} index($0, start) == 1' "$current"
}

what=${1-}
[ $# -eq 0 ] || shift
case $what in
probes) probes "$@" ;;
tools) (cd "$bin/../share/dtrace/tools" 2>/dev/null && ls) | sed -n 's/\.d$//p' ;;
*)
	echo "usage: complete probes START [-p PID | -c COMMAND] | tools" >&2
	exit 2
	;;
esac
