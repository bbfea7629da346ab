# Forgets that multiples of different numbers may be added.
_, *numbers = gets.split.map(&:to_i)
x = gets.to_i
puts x < 2 || numbers.any? { |n| x % n == 0 } ? 'ILLEGAL' : 'LEGAL'
