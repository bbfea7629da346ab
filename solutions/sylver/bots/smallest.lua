-- Announces the smallest number that it may. It plays 2 as soon as it can, and
-- then loses to anybody who answers 3; many do not.
--
-- n may be announced if it is at least 2 and no sum of announced numbers. Sums up
-- to n are marked one after another, for as long as there is no such n.

local function smallest(numbers)
  if #numbers == 0 then
    return 4 -- some rules forbid a prime here
  end
  local is_sum, n = { [0] = true }, 1
  repeat
    n = n + 1
    for _, a in ipairs(numbers) do
      is_sum[n] = is_sum[n] or is_sum[n - a]
    end
    if is_sum[2] and is_sum[3] then
      return 1 -- everything else is a sum: lost
    end
  until not is_sum[n]
  return n
end

for line in io.lines() do
  local words = {}
  for word in line:gmatch("%S+") do
    words[#words + 1] = word
  end
  if words[1] == "sylver" then
    print("ready pure name=smallest")
  elseif words[1] == "move" then
    local numbers = {}
    for i = 3, 2 + tonumber(words[2]) do
      numbers[#numbers + 1] = tonumber(words[i])
    end
    print(smallest(numbers))
  elseif words[1] == "quit" then
    break
  end
  io.stdout:flush()
end
