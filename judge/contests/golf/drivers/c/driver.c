#include <stdio.h>
#include <stdlib.h>
#include <string.h>

long long {name}();
static char text[1 << 20];
static int out[99];

/* results writes what a function left where it may put its results. */
static void results(void) {
    if (out[0] != -7777) sprintf(text, out[1] != -7777 ? "%d %d" : "%d", out[0], out[1]);
}

/* numbers writes what a function left in an array. */
static void numbers(int *r) {
    char *at = text;
    for (int k = 0; k < {arity}; k++) at += sprintf(at, k ? " %d" : "%d", r[k]);
}

int main(void) {
    static char in[1 << 26];
    size_t size = fread(in, 1, sizeof in - 1, stdin);
    in[size] = 0;
    char *line = in, *end = strchr(in, '\n'), mark[100];
    *end = 0;
    snprintf(mark, sizeof mark, "%s", in);
    int form = strtol(end + 1, &end, 10);
    end = strchr(end, '\n');
    printf("%sl%s\n", mark, mark);
    fflush(stdout);
    for (line = end + 1; *line; line = end + 1) {
        if (!(end = strchr(line, '\n'))) break;
        int a[{arity} + 9] = {0};
        for (int k = 0; k < {arity}; k++) a[k] = strtol(line, &line, 10);
        *text = 0;
        out[0] = out[1] = -7777;
        switch (form) {
            {cases}
        }
        printf("%sn%s%s\n", mark, text, mark);
        fflush(stdout);
    }
    return 0;
}
