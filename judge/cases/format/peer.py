#!/usr/bin/env python3
# Says whether standard input is an input of the problem: it exits with 42 if it is, and
# with 43 if not. It was made from the problem's declaration of its input. What reads the
# parts comes first; the declaration is in read(), at the end.
import re
import sys
from fractions import Fraction
from itertools import zip_longest
from math import gcd

MOST, LEAST = 2**63 - 1, -(2**63)
INFINITY = float("inf")
WORD, NUMBER = re.compile(r"[^\x00-\x20]*"), re.compile(r"[-.0-9]*")
INTEGER, DECIMAL = re.compile(r"0|-?[1-9][0-9]*"), re.compile(r"-?(0|[1-9][0-9]*)(?:\.([0-9]+))?")


class Refused(Exception):
    pass


class Names:
    pass


data = sys.stdin.buffer.read().decode("latin-1")
pos = 0
fresh = False  # nothing stands in the line yet
furthest, reason = -1, ""
cur = Names()  # the present values of names
lists = {}  # all values so far of those names whose lists somebody wants
marks = {0: {}}  # by depth: where the lists of the present round start


def refuse(text, at=None):
    global furthest, reason
    if at is None:
        at = pos
    if at > furthest:
        furthest, reason = at, text
    raise Refused


def give(name, value):
    setattr(cur, name, value)
    if name in lists:
        lists[name].append(value)


def enter(depth):
    marks[depth] = {name: len(all_values) for name, all_values in lists.items()}


def view(name, depth):
    start = marks.get(depth, {}).get(name, 0)
    return lists[name][start:] if start else lists[name]


def at(name, depth, i, usual):
    start, i = marks.get(depth, {}).get(name, 0), i - 1
    return lists[name][start + i] if 0 <= i < len(lists[name]) - start else usual


def div(a, b):
    return a // b if b else 0


def mod(a, b):
    return a % b if b else 0


def power(a, b):  # beyond 64 bits it is the largest number, or the smallest
    return max(LEAST, min(MOST, a ** min(b, 64 + b % 2))) if b > 0 else 1


def gcd_of(values):
    r = 0
    for v in values:
        r = gcd(r, v)
    return r


def times(text, part):
    return sum(text.startswith(part, i) for i in range(len(text))) if part else 0


def distinct(*columns):
    rows = list(zip_longest(*columns))
    return len(set(rows)) == len(rows)


def is_sorted(values):
    return all(a <= b for a, b in zip(values, values[1:]))


def is_permutation(values):
    return sorted(values) == list(range(1, len(values) + 1))


def where(holds, text):
    if not holds:
        refuse("it must be that " + text)


def blank(glued):
    global pos, fresh
    if fresh or glued:
        fresh = False
        return
    if data[pos : pos + 1] != " ":
        refuse("want a blank")
    pos += 1


def end_of_line():
    global pos
    if data[pos : pos + 1] != "\n":
        refuse("want the end of the line")
    pos += 1


def literal(text, tight):
    global pos
    end = pos + len(text)
    if not data.startswith(text, pos) or not tight and data[end : end + 1] > " ":
        refuse("want %r" % text)
    pos = end


def integer(lo, hi, tight=False):
    global pos
    text = (NUMBER if tight else WORD).match(data, pos).group()
    if not INTEGER.fullmatch(text):
        refuse("want an integer, in its one spelling")
    value = int(text) if len(text) <= 20 else MOST + 1
    if not lo <= value <= hi or not LEAST <= value <= MOST:
        refuse("want an integer in %d..%d, got %s" % (lo, hi, text[:30]))
    pos += len(text)
    return value


def decimal(lo, hi, fewest, most, tight=False):
    global pos
    text = (NUMBER if tight else WORD).match(data, pos).group()
    found = DECIMAL.fullmatch(text)
    if not found or text.startswith("-") and not text.strip("-0."):
        refuse("want a decimal number such as -1.25")
    if not fewest <= len(found.group(2) or "") <= most:
        refuse("want %d to %d decimals" % (fewest, most))
    if not Fraction(repr(float(lo))) <= Fraction(text) <= Fraction(repr(float(hi))):
        refuse("want a number in %r..%r, got %s" % (lo, hi, text[:30]))
    pos += len(text)
    return text


def letters(allowed, lo, hi, text):
    global pos
    if text.strip(allowed) or not lo <= len(text) <= hi:
        refuse("want %d to %d of the characters %r" % (lo, hi, allowed))
    pos += len(text)
    return text


def word(allowed, lo, hi, tight=False):
    end = pos
    if tight:
        while end < len(data) and data[end] in allowed and data[end] > " ":
            end += 1
    else:
        end = WORD.match(data, pos).end()
    return letters(allowed, lo, hi, data[pos:end])


def text_line(allowed, lo, hi, tight=False):
    end = data.find("\n", pos)
    return letters(allowed, lo, hi, data[pos : end if end >= 0 else len(data)])


def option(words, tight=False):
    global pos
    fits = [w for w in words if data.startswith(w, pos) and (tight or data[pos + len(w) : pos + len(w) + 1] <= " ")]
    if not fits:
        refuse("want one of %r" % (words,))
    best = max(fits, key=len)
    pos += len(best)
    return best


def array(count, name, read, is_float=False, glued=False, tight=False, separator=" ", order=0, once=False, index=None, start=1):
    global pos
    values, began = [], pos
    for i in range(count):
        if i == 0:
            blank(glued)
        elif not data.startswith(separator, pos):
            refuse("want %r" % separator)
        else:
            pos += len(separator)
        if index:
            give(index, start + i)
        value = read(tight and i == count - 1 or separator != " " and i < count - 1)
        give(name, float(value) if is_float else value)
        values.append(value)
        if order and i and (values[-2] > value if order > 0 else values[-2] < value):
            refuse("the values of %s are out of order" % name)
    if once and len(set(values)) < count:
        refuse("%s has a value twice" % name, began)


def graph(nodes, edges, names, lo, hi, weight=None, simple=False, connected=False, directed=False, acyclic=False):
    global fresh
    all_edges = []
    for _ in range(edges):
        fresh = True
        ends = []
        for name in names:
            blank(False)
            ends.append(integer(lo(), hi()))
            give(name, ends[-1])
        if weight:
            blank(False)
            give(weight[0], integer(weight[1](), weight[2]()))
        end_of_line()
        if ends[0] == ends[1] and (simple or acyclic):
            refuse("the edge %d %d joins a node with itself" % tuple(ends))
        all_edges.append(tuple(ends))
    if simple and len({e if directed else tuple(sorted(e)) for e in all_edges}) < len(all_edges):
        refuse("an edge appears twice")
    if connected and not joined(nodes, all_edges):
        refuse("the graph is not connected")
    if acyclic and not has_an_order(all_edges):
        refuse("the graph has a cycle")


def joined(nodes, edges):
    root, parts = {}, nodes

    def find(x):
        while root.get(x, x) != x:
            root[x] = root.get(root[x], root[x])
            x = root[x]
        return x

    for u, v in edges:
        u, v = find(u), find(v)
        if u != v:
            root[u] = v
            parts -= 1
    return parts <= 1


def has_an_order(edges):
    into, out = {}, {}
    for u, v in edges:
        into.setdefault(u, 0)
        into[v] = into.get(v, 0) + 1
        out.setdefault(u, []).append(v)
    free = [v for v, n in into.items() if n == 0]
    done = 0
    while free:
        done += 1
        for v in out.get(free.pop(), []):
            into[v] -= 1
            if into[v] == 0:
                free.append(v)
    return done == len(into)


def first(*alternatives):
    global pos, fresh
    before = pos, fresh, {name: len(values) for name, values in lists.items()}
    for alternative in alternatives:
        try:
            return alternative()
        except Refused:
            pos, fresh, lengths = before
            for name, n in lengths.items():
                del lists[name][n:]
    raise Refused


def rounds(lo, hi, stop, depth, read):
    global pos
    n = 0
    while not (data.startswith(stop + "\n", pos) if stop else pos >= len(data)):
        if n == hi:
            refuse("there are more than %d rounds" % hi)
        before = pos
        enter(depth)
        read()
        if pos == before:
            refuse("nothing stands in a round")
        n += 1
    if n < lo:
        refuse("there are %d rounds, not %d to %d" % (n, lo, hi))
    if stop:
        pos += len(stop) + 1


def main():
    try:
        read()
        if pos < len(data):
            refuse("want the end of the file", max(pos, furthest + 1))
        if not data:
            refuse("want a line, got the end of the file")
    except Refused:
        before = data[: max(furthest, 0)]
        print("line %d, column %d: %s" % (before.count("\n") + 1, len(before) - before.rfind("\n"), reason), file=sys.stderr)
        return 43
    return 42


