/* A checker that speaks testlib's protocol without testlib.h: numbers, in order. */
#include <stdio.h>

int main(int argc, char **argv) {
	FILE *out, *ans;
	long long want, got;
	char more;
	int n = 0;
	if (argc != 4 || !(out = fopen(argv[2], "r")) || !(ans = fopen(argv[3], "r"))) {
		fprintf(stderr, "FAIL usage: ncmp input output answer\n");
		return 3;
	}
	while (fscanf(ans, "%lld", &want) == 1) {
		n++;
		if (fscanf(out, "%lld", &got) != 1) {
			fprintf(stderr, "wrong output format: want number %d\n", n);
			return 2;
		}
		if (got != want) {
			fprintf(stderr, "wrong answer number %d differs: want %lld, got %lld\n", n, want, got);
			return 1;
		}
	}
	if (fscanf(out, " %c", &more) == 1) {
		fprintf(stderr, "wrong output format: something behind number %d\n", n);
		return 2;
	}
	fprintf(stderr, "ok %d numbers\n", n);
	return 0;
}
