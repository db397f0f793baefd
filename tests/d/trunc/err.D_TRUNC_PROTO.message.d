/* SPDX-License-Identifier: MIT */
BEGIN { @ = count(); trunc(@, 1, 2); }
