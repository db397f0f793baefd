/* SPDX-License-Identifier: MIT */
/* run: -C */
/* typedefs that D has already */
#include <stdint.h>
#include <stddef.h>
#include <time.h>
#include <sys/types.h>
typedef uint16_t own_t;
BEGIN { printf("%d %d %d %d\n", sizeof (own_t), sizeof (int64_t), sizeof (size_t), sizeof (struct timespec)); exit(0); }
