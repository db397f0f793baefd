-- SPDX-License-Identifier: MIT
-- A quarter of a second of everything that the interpreter does.
local function fib(n)
	if n < 2 then
		return n
	end
	return fib(n - 1) + fib(n - 2)
end

local sum = fib(31)
local t = {}
for i = 1, 120000 do
	t[i] = tostring(i * 7 % 1000) .. 'x'
end
table.sort(t)
for i = 1, #t do
	sum = sum + #string.gsub(t[i], '%d', 'y')
end
print(sum)
