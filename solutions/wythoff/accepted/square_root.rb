def low(k) = (k + Integer.sqrt(5 * k * k)) / 2

def partner(n)
  k = low(n) - n
  low(k + 1) == n ? n + k + 1 : k
end

i, j = gets.split.map(&:to_i)
a = low((i - j).abs)
n = [i, j].min
if a == n
  puts "--"
elsif partner(n) < [i, j].max
  puts i < j ? "#{i} #{partner(i)}" : "#{partner(j)} #{j}"
else
  puts "#{i - n + a} #{j - n + a}"
end
