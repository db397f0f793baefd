/* SPDX-License-Identifier: MIT */
#pragma D option printsize=10
BEGIN { print("a long string"); print(5); setopt("printsize", "1k"); print("a long string"); exit(0); }
