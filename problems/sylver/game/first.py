# Announces half of the smallest number. A sum of announced numbers is never that small.
for line in iter(input, "quit"):  # "quit" is the last line
    word, *rest = line.split()
    if word == "sylver":  # the greeting: its answer depends on nothing but the numbers
        print("ready pure name=first", flush=True)
    elif word == "move":  # move <k> <n1> ... <nk> <used_ms>
        count = int(rest[0])
        numbers = [int(n) for n in rest[1 : 1 + count]]
        smallest = min(numbers, default=2000)  # nothing is announced: begin with 1000
        print(max(smallest // 2, 1), flush=True)  # 1 loses, but there may be no other number
