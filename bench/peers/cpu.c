// The C arms of workloads O and K on the host: what is the same for every instruction set.
//
//   scalar    per sample, a scalar loop to its own stop
//   tileU     U groups of lanes, masked, until all lanes of the tile are done
//   refillU-C as tileU, but lanes whose sample is done take the next sample every C steps
//   single    one vector step of the whole batch at a time, until nobody is left (workload S: O with 64 steps for all)
//   eagerU    (AVX2 only) as refillU-1, but unmasked: a lane is stored in the step in which its sample ends
//
// The lanes and their steps are in lanes_avx512.h or lanes_avx2.h; compile with -DAVX2 for the latter.
//
// Usage: cpu LABEL serve     answers lines on stdin, so that a caller can interleave arms of several programs
//        cpu LABEL [T...]    runs every cell on T threads each and prints JSON lines (default: 1 2)
// LABEL names the build (nofma, fma). Lines of serve, with their answers:
//
//   arms O                       names of the arms of a workload, one line
//   cell O spread-1000 100000    makes the inputs of a cell; answers "useful SAMPLE-STEPS" (O; 0 for K)
//   run tile4 2                  one run on 2 threads: "MS CPU_MS USEFUL STEPS_DIFFER BITS_DIFFER MAX_ABS_DIFF", where
//                                CPU_MS is the processor time of all threads, and the differences are to the scalar float64 reference, for N = 1000, else to the stops (O)
//                                and the end time (K); -1: not compared
//   inputs FILE                  writes the initial planes as float64: om, ze, x, v, ns (O), or y (K, 6 planes); "ok"
//   reference FILE               writes what the scalar reference makes of them: x, v, k, or y, t, h, k; "ok"
#define _GNU_SOURCE
#include <immintrin.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "workloads.h"

// The references come from workloads.c, which is always built without FMA.
void py_ref_o(long n, const double *om, const double *ze, const int32_t *ns, double *x, double *v, int32_t *k);
void py_ref_k(long n, double *y, double *t, double *h, int32_t *steps);

#ifndef MAX_N
#define MAX_N 1000000
#endif
#define INL static inline __attribute__((always_inline))

typedef struct {
  long n;
  double *om, *ze, *x, *v;  // O
  double *k, *ns;           // step counter and stop as float64 lanes
  double *y, *t, *h;        // K: y is 6 planes of n
  unsigned char *done;
} Batch;

typedef void (*Fn)(const Batch *, long, long, int);
typedef struct { const char *name; Fn f; int chunk; } Arm;

static void scalar_o(const Batch *b, long lo, long hi, int chunk) {
  (void)chunk;
  for (long i = lo; i < hi; i++) {
    double c1 = -(b->om[i] * b->om[i]), c2 = 2.0 * b->ze[i] * b->om[i], x = b->x[i], v = b->v[i], k = b->k[i], ns = b->ns[i];
    do { o_step(c1, c2, &x, &v); k += 1; } while (!(k >= ns));
    b->x[i] = x; b->v[i] = v; b->k[i] = k; b->done[i] = 1;
  }
}
static void scalar_k(const Batch *b, long lo, long hi, int chunk) {
  (void)chunk;
  for (long i = lo; i < hi; i++) {
    double y[6], t = b->t[i], h = b->h[i], k = b->k[i];
    for (int c = 0; c < 6; c++) y[c] = b->y[c * b->n + i];
    do { k_step(y, &t, &h); k += 1; } while (t < K_T1 && k < K_CAP);
    for (int c = 0; c < 6; c++) b->y[c * b->n + i] = y[c];
    b->t[i] = t; b->h[i] = h; b->k[i] = k; b->done[i] = 1;
  }
}

// Both define the tables arms_o and arms_k.
#ifdef AVX2
#include "lanes_avx2.h"
#else
#include "lanes_avx512.h"
#endif

static const Arm arms_s[] = {{"single", 0, 0}};  // see run
enum { NS = 1, NO = sizeof arms_o / sizeof *arms_o, NK = sizeof arms_k / sizeof *arms_k };

// ---- threads: blocks of samples from a shared counter -------------------------------------------

typedef struct { const Batch *b; Fn f; int chunk; long block; atomic_long *next; } Job;

static void *work(void *p) {
  Job *j = p;
  for (long lo; (lo = atomic_fetch_add(j->next, j->block)) < j->b->n;)
    j->f(j->b, lo, lo + j->block < j->b->n ? lo + j->block : j->b->n, j->chunk);
  return 0;
}
// A team that makes one step after the other: a share of the samples each, and nobody begins a step before all have
// made the last one.
typedef struct { const Batch *b; int threads, number; atomic_long *left, *at; } Member;

static void *step_by_step(void *p) {
  Member *m = p;
  const Batch *b = m->b;
  long lo = b->n * m->number / m->threads / 8 * 8, hi = m->number + 1 == m->threads ? b->n : b->n * (m->number + 1) / m->threads / 8 * 8;
  for (long step = 0;; step++) {
    atomic_fetch_add(&m->left[step & 3], single_o(b, lo, hi));
    atomic_fetch_add(m->at, 1);
    for (long spins = 0; atomic_load(m->at) < (step + 1) * m->threads; spins++) if (spins > 2000) sched_yield();
    if (m->number == 0) m->left[(step + 2) & 3] = 0;
    if (!atomic_load(&m->left[step & 3])) return 0;
  }
}
static void run_single(const Batch *b, int threads) {
  atomic_long left[4] = {0}, at = 0;
  pthread_t th[256]; Member m[256];
  for (int i = 0; i < threads; i++) m[i] = (Member){b, threads, i, left, &at};
  for (int i = 1; i < threads; i++) pthread_create(&th[i], 0, step_by_step, &m[i]);
  step_by_step(&m[0]);
  for (int i = 1; i < threads; i++) pthread_join(th[i], 0);
}

static void run(const Batch *b, Fn f, int chunk, int threads) {
  if (!f) { run_single(b, threads > 256 ? 256 : threads); return; }
  if (threads == 1) { f(b, 0, b->n, chunk); return; }
  atomic_long next = 0;
  long block = b->n / (threads * 8); block = (block < 96 ? 96 : block > 4096 ? 4096 : block) / 48 * 48;
  Job j = {b, f, chunk, block, &next};
  pthread_t th[256];
  if (threads > 256) threads = 256;
  for (int i = 1; i < threads; i++) pthread_create(&th[i], 0, work, &j);
  work(&j);
  for (int i = 1; i < threads; i++) pthread_join(th[i], 0);
}

static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }
static int cmp(const void *a, const void *b) { double x = *(double *)a, y = *(double *)b; return (x > y) - (x < y); }
static double *plane(long n) { double *p = aligned_alloc(64, ((n + 16) * 8 + 63) / 64 * 64); memset(p, 0, (n + 16) * 8); return p; }

// ---- a cell: a batch, its inputs and what its end must be ---------------------------------------

typedef struct {
  Batch b;
  char workload;
  double *x0, *v0, *y0, *ecc;  // the initial state
  int32_t *stops;              // O
  double useful;               // O: the sum of the stops
  double *rx, *rv, *ry;        // the scalar reference, for n == 1000
  int32_t *rk;
} Cell;

static void cell_free(Cell *c) {
  double *all[] = {c->b.om, c->b.ze, c->b.x, c->b.v, c->b.k, c->b.ns, c->b.y, c->b.t, c->b.h, c->x0, c->v0, c->y0, c->ecc, c->rx, c->rv, c->ry};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
  free(c->b.done); free(c->stops); free(c->rk);
  memset(c, 0, sizeof *c);
}

static void cell_make(Cell *c, char workload, int dist, long n) {
  *c = (Cell){.workload = workload};
  c->b = (Batch){.n = n, .k = plane(n), .done = calloc(n + 16, 1)};
  if (workload != 'K') {
    c->b.om = plane(n); c->b.ze = plane(n); c->b.x = plane(n); c->b.v = plane(n); c->b.ns = plane(n);
    c->x0 = plane(n); c->v0 = plane(n); c->stops = malloc(n * sizeof *c->stops);
    inputs_o(dist, n, c->b.om, c->b.ze, c->x0, c->v0, c->stops);
    for (long i = 0; i < n; i++) c->useful += c->b.ns[i] = c->stops[i];
    if (n == 1000) {
      c->rx = plane(n); c->rv = plane(n); c->rk = malloc(n * sizeof *c->rk);
      memcpy(c->rx, c->x0, n * 8); memcpy(c->rv, c->v0, n * 8);
      py_ref_o(n, c->b.om, c->b.ze, c->stops, c->rx, c->rv, c->rk);
    }
    return;
  }
  c->b.y = plane(6 * n); c->b.t = plane(n); c->b.h = plane(n); c->y0 = plane(6 * n); c->ecc = plane(n);
  inputs_k(n, c->y0, c->ecc);
  if (n == 1000) {
    double *t = plane(n), *h = plane(n);
    c->ry = plane(6 * n); c->rk = malloc(n * sizeof *c->rk);
    memcpy(c->ry, c->y0, 6 * n * 8);
    py_ref_k(n, c->ry, t, h, c->rk);
    free(t); free(h);
  }
}

static void cell_reset(Cell *c) {
  Batch *b = &c->b;
  memset(b->k, 0, b->n * 8); memset(b->done, 0, b->n);
  if (c->workload != 'K') { memcpy(b->x, c->x0, b->n * 8); memcpy(b->v, c->v0, b->n * 8); return; }
  memcpy(b->y, c->y0, 6 * b->n * 8); memset(b->t, 0, b->n * 8);
  for (long i = 0; i < b->n; i++) b->h[i] = K_H0;
}

static double cpu_time(void) { struct timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }

static double cell_time(Cell *c, const Arm *a, int threads, double *cpu) {
  cell_reset(c);
  double u = cpu_time(), t = now();
  run(&c->b, a->f, a->chunk, threads);
  t = now() - t;
  *cpu = (cpu_time() - u) * 1e3;
  return t * 1e3;
}

typedef struct { double useful, worst; long steps, bits; } Check;

static Check cell_check(const Cell *c) {
  const Batch *b = &c->b;
  Check k = {.bits = c->rk ? 0 : -1, .worst = c->rk ? 0 : -1};
  for (long i = 0; i < b->n; i++) {
    k.useful += b->k[i];
    int bad = !b->done[i];
    if (c->workload != 'K') bad |= b->k[i] != c->stops[i];
    else bad |= b->t[i] != K_T1 || (c->rk && b->k[i] != c->rk[i]);
    k.steps += bad;
    if (!c->rk) continue;
    int differ = 0;
    for (int j = 0; j < (c->workload != 'K' ? 2 : 6); j++) {
      double got = c->workload == 'K' ? b->y[j * b->n + i] : j ? b->v[i] : b->x[i];
      double want = c->workload == 'K' ? c->ry[j * b->n + i] : j ? c->rv[i] : c->rx[i];
      differ |= memcmp(&got, &want, 8) != 0;
      if (fabs(got - want) > k.worst) k.worst = fabs(got - want);
    }
    k.bits += differ;
  }
  return k;
}

static const char *dists[] = {"uniform", "spread-1000", "spread-100", "steps-64"};

// arms_of gives the arms of a workload and counts them.
static const Arm *arms_of(char workload, int *n) {
  *n = workload == 'O' ? NO : workload == 'S' ? NS : NK;
  return workload == 'O' ? arms_o : workload == 'S' ? arms_s : arms_k;
}

static int dist_of(const char *name) {
  for (int d = 0; d < 4; d++) if (!strcmp(name, dists[d])) return d;
  return 0;
}

static int put(FILE *f, const double *p, long n) { return fwrite(p, 8, n, f) == (size_t)n; }

static int write_inputs(const Cell *c, FILE *f) {
  const Batch *b = &c->b;
  if (c->workload == 'K') return put(f, c->y0, 6 * b->n);
  return put(f, b->om, b->n) && put(f, b->ze, b->n) && put(f, c->x0, b->n) && put(f, c->v0, b->n) && put(f, b->ns, b->n);
}

static int write_reference(const Cell *c, FILE *f) {
  long n = c->b.n;
  double *x = plane(n), *v = plane(n), *k = plane(n), *y = plane(6 * n);
  int32_t *steps = malloc(n * sizeof *steps);
  int ok;
  if (c->workload != 'K') {
    memcpy(x, c->x0, n * 8); memcpy(v, c->v0, n * 8);
    py_ref_o(n, c->b.om, c->b.ze, c->stops, x, v, steps);
    for (long i = 0; i < n; i++) k[i] = steps[i];
    ok = put(f, x, n) && put(f, v, n) && put(f, k, n);
  } else {
    memcpy(y, c->y0, 6 * n * 8);
    py_ref_k(n, y, x, v, steps);
    for (long i = 0; i < n; i++) k[i] = steps[i];
    ok = put(f, y, 6 * n) && put(f, x, n) && put(f, v, n) && put(f, k, n);
  }
  free(x); free(v); free(k); free(y); free(steps);
  return ok;
}

static void to_file(const Cell *c, const char *path, int (*write)(const Cell *, FILE *)) {
  FILE *f = fopen(path, "wb");
  int ok = f && write(c, f);
  if (f) ok &= fclose(f) == 0;
  puts(ok ? "ok" : "error the file cannot be written");
}

// ---- serve --------------------------------------------------------------------------------------

static int serve(void) {
  char line[4096], word[64], dist[64], path[4000]; char w; long n; int threads;
  Cell c = {0};
  while (fgets(line, sizeof line, stdin)) {
    if (sscanf(line, "arms %c", &w) == 1) {
      const Arm *a = arms_of(w, &threads);
      for (int i = 0; i < threads; i++) printf("%s%s", i ? " " : "", a[i].name);
      puts("");
    } else if (sscanf(line, "cell %c %63s %ld", &w, dist, &n) == 3 && n > 0 && n <= 100000000) {
      cell_free(&c);
      cell_make(&c, w, dist_of(dist), n);
      printf("useful %.0f\n", c.useful);
    } else if (sscanf(line, "run %63s %d", word, &threads) == 2 && threads > 0 && c.b.n > 0) {
      int count;
      const Arm *a = arms_of(c.workload, &count), *found = 0;
      for (int i = 0; i < count; i++) if (!strcmp(a[i].name, word)) found = &a[i];
      if (!found) { printf("error no arm %s\n", word); fflush(stdout); continue; }
      double cpu, ms = cell_time(&c, found, threads, &cpu);
      Check k = cell_check(&c);
      printf("%.9g %.9g %.0f %ld %ld %.3g\n", ms, cpu, k.useful, k.steps, k.bits, k.worst);
    } else if (sscanf(line, "inputs %3999[^\n]", path) == 1 && c.b.n > 0) {
      to_file(&c, path, write_inputs);
    } else if (sscanf(line, "reference %3999[^\n]", path) == 1 && c.b.n > 0) {
      to_file(&c, path, write_reference);
    } else {
      printf("error not understood: %s", line);
    }
    fflush(stdout);
  }
  return 0;
}

// ---- every cell on its own ----------------------------------------------------------------------

// 2 warm-ups and the median of 5; past 1 s a run 1 and 3; past 4 s the first run alone.
static double timed(Cell *c, const Arm *a, int threads, int *reps) {
  double w[8]; int warm = 2, got = 0; *reps = 5;
  for (int r = 0; r < warm + *reps; r++) {
    double cpu, ms = cell_time(c, a, threads, &cpu);
    if (r == 0 && ms > 4e3) { warm = 0; *reps = 1; } else if (r == 0 && ms > 1e3) { warm = 1; *reps = 3; }
    if (r >= warm) w[got++] = ms;
  }
  qsort(w, got, 8, cmp);
  return w[got / 2];
}

int main(int argc, char **argv) {
  const char *label = argc > 1 ? argv[1] : "nofma";
  if (argc > 2 && !strcmp(argv[2], "serve")) return serve();
  int threads[8] = {1, 2}, nt = 2;
  if (argc > 2) for (nt = 0; nt < 8 && nt + 2 < argc; nt++) threads[nt] = atoi(argv[nt + 2]);
  for (int w = 0; w < 2; w++)
    for (long n = 1000; n <= (w ? 100000 : 1000000) && n <= MAX_N; n *= 10)
      for (int d = 0; d < (w ? 1 : 3); d++) {
        Cell c;
        cell_make(&c, w ? 'K' : 'O', d, n);
        const Arm *arms = w ? arms_k : arms_o;
        for (int a = 0; a < (w ? NK : NO); a++) for (int t = 0; t < nt; t++) {
          if (a == 0 && c.useful > 5e8 && threads[t] == 1 && nt > 1) continue;  // 11 s; the cell at N=1e5 says the same
          int reps;
          double ms = timed(&c, &arms[a], threads[t], &reps);
          Check k = cell_check(&c);
          printf("{\"device\":\"cpu\",\"workload\":\"%c\",\"arm\":\"c-%s-%s\",\"dist\":\"%s\",\"n\":%ld,\"threads\":%d,\"ms\":%.6g,\"reps\":%d,\"useful\":%.0f,\"steps_differ\":%ld",
                 c.workload, arms[a].name, label, w ? "orbits" : dists[d], n, threads[t], ms, reps, k.useful, k.steps);
          if (k.bits >= 0) printf(",\"max_abs_diff\":%.3g,\"bits_differ\":%ld", k.worst, k.bits);
          if (w) printf(",\"analytic_err\":%.3g", analytic_k(n, c.y0, c.ecc, c.b.y));
          puts("}"); fflush(stdout);
        }
        cell_free(&c);
      }
}
