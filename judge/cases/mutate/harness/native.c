/* The harness of compiled programs with mutants: it answers requests on standard input
   by runs of the program, each in a process of its own, which is forked for it. Time is
   processor time, in units of 100 ns. It is C and C++. */
{hoisted}
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

typedef unsigned char assay_byte;
typedef unsigned long long assay_long;

static char assay_name[] = "main";
static char *assay_argv[] = {assay_name, NULL};

#ifdef __cplusplus
template <class T> static int assay_start(T (*f)()) { return (int)f(); }
template <class T> static int assay_start(T (*f)(int, char **)) { return (int)f(1, assay_argv); }
template <class T> static int assay_start(T (*f)(int, const char **)) { return (int)f(1, (const char **)assay_argv); }
#endif

{declare}

#ifdef ASSAY_CALLED
int assay_call(unsigned mutant);
#else
static int assay_call(unsigned mutant) {
    switch (mutant) {
{call}
    }
    return 70;
}
#endif

struct assay_case {
    unsigned slot;
    assay_byte *in, *out;
    size_t in_size, out_size;
    assay_long fuel; /* that a mutant gets */
    struct assay_case *next;
};

static struct assay_case *assay_cases, *assay_loaded;
static int assay_request, assay_reply;
static assay_byte assay_buffer[1 << 16];
static size_t assay_filled;
static assay_byte assay_status; /* how the last run ended */
static unsigned assay_code;
static char assay_text[64];
static assay_long assay_used;
static rlim_t assay_memory;

static void assay_flush(void) {
    size_t at = 0;
    while (at < assay_filled) {
        ssize_t n = write(assay_reply, assay_buffer + at, assay_filled - at);
        if (n <= 0 && errno != EINTR) _exit(71);
        if (n > 0) at += (size_t)n;
    }
    assay_filled = 0;
}

static void assay_write(const void *data, size_t size) {
    const assay_byte *from = (const assay_byte *)data;
    while (size > 0) {
        size_t room = sizeof assay_buffer - assay_filled;
        if (room == 0) {
            assay_flush();
            continue;
        }
        if (room > size) room = size;
        memcpy(assay_buffer + assay_filled, from, room);
        assay_filled += room;
        from += room;
        size -= room;
    }
}

static void assay_put(unsigned n) {
    assay_byte b[4];
    int i;
    for (i = 0; i < 4; i++) b[i] = (assay_byte)(n >> (8 * i));
    assay_write(b, 4);
}

static void assay_read(void *data, size_t size) {
    assay_byte *to = (assay_byte *)data;
    while (size > 0) {
        ssize_t n = read(assay_request, to, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) _exit(0);
        to += n;
        size -= (size_t)n;
    }
}

static unsigned assay_number(void) {
    assay_byte b[4];
    assay_read(b, 4);
    return b[0] | b[1] << 8 | b[2] << 16 | (unsigned)b[3] << 24;
}

static void *assay_room(size_t size) {
    void *p = malloc(size > 0 ? size : 1);
    if (p == NULL) _exit(71);
    return p;
}

static void assay_must(int good) {
    if (!good) _exit(71);
}

static struct assay_case *assay_find(unsigned slot) {
    struct assay_case *c;
    for (c = assay_cases; c != NULL; c = c->next)
        if (c->slot == slot) return c;
    c = (struct assay_case *)assay_room(sizeof *c);
    memset(c, 0, sizeof *c);
    c->slot = slot;
    c->next = assay_cases;
    return assay_cases = c;
}

/* assay_child is the run itself. */
static void assay_child(unsigned mutant, assay_long fuel, size_t most) {
    struct rlimit bytes, none;
    struct itimerval time;
    bytes.rlim_cur = bytes.rlim_max = most;
    none.rlim_cur = none.rlim_max = 0;
    setrlimit(RLIMIT_FSIZE, &bytes);
    setrlimit(RLIMIT_CORE, &none);
    if (assay_memory > 0) {
        bytes.rlim_cur = bytes.rlim_max = assay_memory;
        setrlimit(RLIMIT_AS, &bytes);
    }
    memset(&time, 0, sizeof time);
    time.it_value.tv_sec = (time_t)(fuel / 10000000);
    time.it_value.tv_usec = (suseconds_t)(fuel / 10 % 1000000) + 1;
    setitimer(ITIMER_PROF, &time, NULL);
    alarm(20);
    close(assay_request);
    close(assay_reply);
    exit(assay_call(mutant));
}

/* assay_run runs a mutant on a case, and returns its output. */
static assay_byte *assay_run(unsigned mutant, struct assay_case *c, assay_long fuel, size_t most, size_t *size) {
    struct rusage use;
    struct stat about;
    assay_byte *out;
    size_t at = 0;
    int how;
    pid_t pid;
    if (assay_loaded != c) {
        assay_must(ftruncate(0, 0) == 0);
        while (at < c->in_size) {
            ssize_t n = pwrite(0, c->in + at, c->in_size - at, (off_t)at);
            assay_must(n > 0);
            at += (size_t)n;
        }
        assay_loaded = c;
    }
    assay_must(lseek(0, 0, SEEK_SET) == 0 && lseek(1, 0, SEEK_SET) == 0 && ftruncate(1, 0) == 0);
    pid = fork();
    assay_must(pid >= 0);
    if (pid == 0) assay_child(mutant, fuel, most);
    while (wait4(pid, &how, 0, &use) < 0) assay_must(errno == EINTR);
    assay_used = ((assay_long)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000000 + (assay_long)(use.ru_utime.tv_usec + use.ru_stime.tv_usec)) * 10;
    assay_status = 'S', assay_code = 0, assay_text[0] = 0, *size = 0;
    if (WIFSIGNALED(how)) {
        int sig = WTERMSIG(how);
        assay_status = sig == SIGPROF || sig == SIGALRM || sig == SIGXCPU || sig == SIGXFSZ ? 'F' : 'C';
        snprintf(assay_text, sizeof assay_text, "signal %d", sig);
        return NULL;
    }
    if (WEXITSTATUS(how) != 0) {
        assay_status = 'X', assay_code = (unsigned)WEXITSTATUS(how);
        return NULL;
    }
    assay_must(fstat(1, &about) == 0);
    *size = (size_t)about.st_size < most ? (size_t)about.st_size : most;
    out = (assay_byte *)assay_room(*size);
    for (at = 0; at < *size;) {
        ssize_t n = pread(1, out + at, *size - at, (off_t)at);
        assay_must(n > 0);
        at += (size_t)n;
    }
    return out;
}

/* assay_try runs a mutant on a case and compares: S is the same output, D another one. */
static assay_byte *assay_try(unsigned mutant, struct assay_case *c, size_t *size) {
    assay_byte *out = assay_run(mutant, c, c->fuel, 2 * c->out_size + (1 << 20), size);
    if (assay_status == 'S' && (*size != c->out_size || memcmp(out, c->out, *size) != 0)) assay_status = 'D';
    return out;
}

/* assay_answer writes how a run ended. */
static void assay_answer(assay_byte *out, size_t size) {
    assay_write(&assay_status, 1);
    assay_put(assay_code);
    if (assay_status == 'D') {
        assay_put((unsigned)size);
        assay_write(out, size);
    } else if (assay_status == 'C') {
        assay_put((unsigned)strlen(assay_text));
        assay_write(assay_text, strlen(assay_text));
    } else {
        assay_put(0);
    }
    if (assay_status != 'S') assay_flush();
}

static void assay_files(void) {
    int fd;
    char name[64];
    assay_request = dup(0), assay_reply = dup(1);
    assay_must(assay_request >= 0 && assay_reply >= 0);
    for (fd = 0; fd < 2; fd++) {
        int f;
        strcpy(name, "/tmp/assay-XXXXXX");
        f = mkstemp(name);
        if (f < 0) {
            strcpy(name, "assay-XXXXXX");
            f = mkstemp(name);
        }
        assay_must(f >= 0 && unlink(name) == 0 && dup2(f, fd) == fd);
        close(f);
    }
    fd = open("/dev/null", O_WRONLY);
    if (fd >= 0) dup2(fd, 2);
}

/* assay_room_for bounds the address space of runs: what there is now, and the limit. */
static void assay_room_for(unsigned mebibytes) {
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f == NULL) return;
    if (fscanf(f, "%lu", &pages) == 1) assay_memory = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)mebibytes << 20);
    fclose(f);
}

static int assay_serve(void) {
    assay_long base, times;
    assay_files();
    assay_room_for(assay_number());
    base = assay_number();
    times = assay_number();
    for (;;) {
        size_t size = 0;
        assay_byte *out = NULL;
        unsigned verb = assay_number(), i, n, at, mutant, *list;
        struct assay_case *c;
        if (verb == 'C') { /* a case */
            c = assay_find(assay_number());
            free(c->in);
            c->in_size = assay_number();
            c->in = (assay_byte *)assay_room(c->in_size);
            assay_read(c->in, c->in_size);
            if (assay_loaded == c) assay_loaded = NULL;
        } else if (verb == 'O') { /* the program as it was */
            assay_byte reached = 1;
            c = assay_find(assay_number());
            free(c->out);
            c->out = assay_run(0, c, 10000000ull * 20, 1 << 30, &c->out_size);
            if (assay_status == 'S') assay_status = 'D'; /* to be shown */
            assay_answer(c->out, c->out_size);
            c->fuel = times * assay_used + base;
            assay_put((unsigned)assay_used);
            assay_put((unsigned)(assay_used >> 32));
            assay_write(&reached, 1);
        } else if (verb == 'H') { /* one mutant on many cases, to the first that is not the same */
            mutant = assay_number();
            n = assay_number();
            list = (unsigned *)assay_room(n * sizeof *list);
            for (i = 0; i < n; i++) list[i] = assay_number();
            assay_status = 'S';
            for (at = 0; at < n; at++) {
                free(out);
                out = assay_try(mutant, assay_find(list[at]), &size);
                if (assay_status != 'S') break;
            }
            free(list);
            assay_put(at);
            assay_answer(out, size);
            free(out);
        } else if (verb == 'A') { /* many mutants on one case */
            c = assay_find(assay_number());
            n = assay_number();
            list = (unsigned *)assay_room(n * sizeof *list);
            for (i = 0; i < n; i++) list[i] = assay_number();
            for (i = 0; i < n; i++) {
                out = assay_try(list[i], c, &size);
                assay_answer(out, size);
                free(out);
            }
            free(list);
        }
        assay_put(1); /* nothing is left behind */
        assay_flush();
    }
}

#ifdef ASSAY_CALLED
void assay_main(void) { assay_serve(); }
#else
int main() { return assay_serve(); }
#endif
