import gc, os, sys

class Server:
    def run(self):
        lines = sys.stdin.buffer.read().decode().split("\n")
        mark = lines[0]
        path = os.path.abspath(__file__)
        code = compile(open(os.path.join(os.path.dirname(path), "answer"), "rb").read(), path, "exec")
        os.write(1, (mark + "l" + mark + "\n").encode())
        if hasattr(gc, "freeze"):  # PyPy has none
            gc.freeze()
        for line in lines[1:]:
            if not line:
                continue
            child = os.fork()
            if not child:
                self.child(code, [bytes.fromhex(w.strip("-")) for w in line.split(" ")])
            status = os.waitpid(child, 0)[1]
            os.write(1, (mark + ("e" + str(status) if status else "n") + mark + "\n").encode())

    def child(self, code, words):
        r, w = os.pipe()
        os.write(w, words[0])
        os.close(w)
        os.dup2(r, 0)
        os.close(r)
        sys.stdin = open(0)
        sys.argv = [sys.argv[0]] + [a.decode() for a in words[1:]]
        status = 1
        try:
            space = {"__name__": "__main__", "__builtins__": __builtins__}
            exec(code, space)
            status = 0
        except SystemExit as e:
            status = e.code if isinstance(e.code, int) else 0 if e.code is None else 1
        except BaseException as e:
            sys.excepthook(*sys.exc_info())
        finally:
            try:
                sys.stdout.flush()
            finally:
                os._exit(status & 255)

Server().run()
