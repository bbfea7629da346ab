-- Lua's integers wrap round at 2^63.
local words = {}
for word in io.read("a"):gmatch("%d+") do words[#words + 1] = math.tointeger(tonumber(word)) end
local k, x = words[1], words[#words]
local nums = {}
for i = 1, k do nums[i] = words[i + 1] end
table.sort(nums)

local function gcd(a, b) while b ~= 0 do a, b = b, a % b end return a end

local function two(a, b)
  local g = gcd(a, b)
  if x % g ~= 0 then return false end
  a, b = a // g, b // g
  local r, q, s, t = b % a, a, 1, 0
  while q ~= 0 do
    local d = r // q
    r, q = q, r - d * q
    s, t = t, s - d * t
  end
  return (x // g) % a * (s % a) % a * b <= x // g
end

local function many()
  local m, w = nums[1], {[0] = 0}
  for i = 2, #nums do
    local n = nums[i]
    local d = gcd(n, m)
    for c = 0, d - 1 do
      local r = c
      for _ = 1, 2 * m // d do
        local s = (r + n) % m
        if w[r] and w[r] <= x and (not w[s] or w[r] + n < w[s]) then w[s] = w[r] + n end
        r = s
      end
    end
  end
  return w[x % m] and w[x % m] <= x
end

local sum = x <= 1
if not sum and #nums == 1 then sum = x % nums[1] == 0 end
if not sum and #nums == 2 then sum = two(nums[1], nums[2]) end
if not sum and #nums > 2 then sum = many() end
print(sum and "ILLEGAL" or "LEGAL")
