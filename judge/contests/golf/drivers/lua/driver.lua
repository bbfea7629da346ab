local mark = io.read("l")
local lines = {}
for line in io.lines() do lines[#lines + 1] = line end
local h = assert(io.open(arg[0]:gsub("[^/]*$", "") .. "answer"))
local code = h:read("a")
h:close()
local name = "{name}"
local f
if name ~= "" then
  f = assert(load(code .. "\nreturn " .. name, "answer"))()
else
  f = load("return " .. code, "answer") or assert(load(code, "answer"))
  f = f()
end
if type(f) ~= "function" then error("the answer is not a function") end
local write, flush, stdout = io.write, io.flush, io.stdout
local function frame(kind, text)
  stdout:write(mark, kind, text, mark, "\n")
  stdout:flush()
end
local function show(v)
  if type(v) ~= "table" then return tostring(v) end
  local parts = {}
  for _, x in ipairs(v) do parts[#parts + 1] = show(x) end
  return "{" .. table.concat(parts, ", ") .. "}"
end
local pack, unpack, insert, concat, pcall, match, tonumber, integer = table.pack, table.unpack, table.insert, table.concat, pcall, string.gmatch, tonumber, math.tointeger
frame("l", "")
for _, line in ipairs(lines) do
  local a = {}
  for w in match(line, "%S+") do a[#a + 1] = integer(tonumber(w)) end
  local r = pack(pcall(function() return {call} end))
  if not r[1] then
    frame("e", tostring(r[2]))
  else
    local parts = {}
    for k = 2, r.n do parts[#parts + 1] = show(r[k]) end
    frame((r.n == 1 or r[2] == nil or r[2] == stdout) and "n" or "v", concat(parts, " "))
  end
end
