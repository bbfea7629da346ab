import _ast, os, sys  # the module ast takes 12 ms to import

class Driver:
    def __init__(self):
        self.lines = sys.stdin.read().split("\n")
        self.mark = self.lines[0]

    def load(self, name):
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "answer.py")
        code = open(path, encoding="utf-8", newline="").read()
        space = {"__name__": "__main__"}
        body = compile(code.strip("\n") + "\n", "answer", "exec", _ast.PyCF_ONLY_AST).body
        last = body.pop() if body and isinstance(body[-1], _ast.Expr) and not name else None
        exec(compile(_ast.Module(body, []), "answer", "exec"), space)
        f = eval(compile(_ast.Expression(last.value), "answer", "eval"), space) if last else space[name]
        if not callable(f):
            raise TypeError("the answer is not a function")
        return f

    def frame(self, kind, text):
        sys.stdout.flush()
        data = (self.mark + kind + text + self.mark + "\n").encode("utf-8", "surrogateescape")
        while data:
            data = data[os.write(1, data):]

    def run(self, name):
        try:
            f = self.load(name)
        except BaseException:
            self.frame("x", "")
            raise
        self.frame("l", "")
        for line in self.lines[1:]:
            if not line:
                continue
            a = [int(w) for w in line.split()]
            try:
                v = {call}
                if v is None:
                    self.frame("n", "None")
                    continue
                if hasattr(v, "__next__") or isinstance(v, range):
                    v = list(v)
                text = str(v)
            except BaseException as e:
                if isinstance(e, (SystemExit, KeyboardInterrupt)):
                    raise
                self.frame("e", type(e).__name__ + ": " + str(e)[:200])
                continue
            self.frame("v", text)

Driver().run("{name}")
