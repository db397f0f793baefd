/* SPDX-License-Identifier: MIT */
BEGIN { denormalize("x"); }
