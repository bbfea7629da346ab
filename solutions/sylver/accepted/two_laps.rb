# Apery table with two laps round each circle; nil is a residue without a sum.
def sum_of_two?(a, b, x)
  g = a.gcd(b)
  return false unless (x % g).zero?
  a, b, x = a / g, b / g, x / g
  r, q, s, t = b % a, a, 1, 0
  r, q, s, t = q, r % q, t, s - r / q * t until q.zero?
  (x * s) % a * b <= x
end

def sum_of_many?(numbers, x)
  m, *others = numbers
  least = Array.new(m)
  least[0] = 0
  others.each do |n|
    m.gcd(n).times do |first|
      at = first
      sum = least[at]
      (2 * m / m.gcd(n)).times do
        at = (at + n) % m
        sum += n if sum
        if least[at] && (sum.nil? || least[at] < sum)
          sum = least[at]
        else
          least[at] = sum
        end
      end
    end
  end
  !least[x % m].nil? && least[x % m] <= x
end

_, *numbers = gets.split.map(&:to_i)
x = gets.to_i
numbers = numbers.uniq.sort
sum = if x.zero? then true
      elsif numbers.empty? then false
      elsif numbers.size == 1 then (x % numbers[0]).zero?
      elsif numbers.size == 2 then sum_of_two?(*numbers, x)
      else sum_of_many?(numbers, x)
      end
puts x == 1 || sum ? 'ILLEGAL' : 'LEGAL'
