/* SPDX-License-Identifier: MIT */
BEGIN { normalize(5, 5); }
