PHI = (1 + Math.sqrt(5)) / 2

def low(k) = (k * PHI).floor

i, j = gets.split.map(&:to_i)
take = [i, j].min - low((i - j).abs)
if take == 0
  puts "lost"
elsif take > 0
  puts "#{i - take} #{j - take}"
else
  n = [i, j].min
  k = low(n) - n
  other = low(k + 1) == n ? n + k + 1 : k
  puts i < j ? "#{n} #{other}" : "#{other} #{n}"
end
