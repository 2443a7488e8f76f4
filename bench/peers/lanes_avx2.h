// Lanes of AVX2: 4 samples of float64 in a register, their state under masks of all ones; included by cpu.c.
//
// The twin of lanes_avx512.h with what AVX2 lacks written out: no mask registers (blends by the sign of a mask), no
// expand-load and no scatter (a lane is filled and stored through memory, one element at a time), 16 registers (the
// compiler keeps most of a group's state in the first cache; the processor's window still overlaps the groups).
// Besides, eager: since a lane that is done is rare, one test for all groups and a branch take the place of the
// blends of every step; nothing is masked, and a lane that finds no new sample runs on with one that never stops.
#pragma once

typedef __m256d V;
enum { L4 = 4 };
#define S(a) _mm256_set1_pd(a)
#define ABS(x) _mm256_andnot_pd(S(-0.0), x)
#define BITS(m) _mm256_movemask_pd(m)

// ---- vector steps: the same expressions as workloads.h, over GCC vectors ------------------------

INL void o_stepv(V c1, V c2, V *x, V *v) {
  const V dt = S(O_DT), h = S(O_DT / 2), s6 = S(O_DT / 6), two = S(2);
  V x0 = *x, v0 = *v;
  V a1 = c1 * x0 - c2 * v0;
  V x1 = x0 + h * v0, v1 = v0 + h * a1, a2 = c1 * x1 - c2 * v1;
  V x2 = x0 + h * v1, v2 = v0 + h * a2, a3 = c1 * x2 - c2 * v2;
  V x3 = x0 + dt * v2, v3 = v0 + dt * a3, a4 = c1 * x3 - c2 * v3;
  *x = x0 + s6 * ((v0 + two * v1) + (two * v2 + v3));
  *v = v0 + s6 * ((a1 + two * a2) + (two * a3 + a4));
}

INL void k_accelv(const V *p, V *a) {
  V r2 = (p[0] * p[0] + p[1] * p[1]) + p[2] * p[2];
  V g = S(-1.0) / (r2 * _mm256_sqrt_pd(r2));
  a[0] = g * p[0]; a[1] = g * p[1]; a[2] = g * p[2];
}

// One attempt. Returns the lanes that are to take it over; y and t must then be theirs, h of all lanes.
INL V k_tryv(const V *y, V t, V h, V *yn, V *tn, V *hn) {
  V k[13][6], z[6];
  V left = S(K_T1) - t;
  V last = _mm256_cmp_pd(h, left, _CMP_GE_OQ);
  V hh = _mm256_blendv_pd(h, left, last);
  UNROLL for (int c = 0; c < 3; c++) k[0][c] = y[c + 3];
  k_accelv(y, &k[0][3]);
#define TERM(j, a) if (first) s = S(a) * k[j][c]; else s = s + S(a) * k[j][c]; first = false;
#define STAGE(i)                                                \
  UNROLL for (int c = 0; c < 6; c++) {                          \
    V s = S(0); bool first = true;                              \
    K_ROW##i(TERM) z[c] = y[c] + hh * s;                        \
  }                                                             \
  UNROLL for (int c = 0; c < 3; c++) k[i][c] = z[c + 3];        \
  k_accelv(z, &k[i][3]);
  K_STAGES(STAGE)
  V err = S(0), eh = hh * S(41. / 840);
  UNROLL for (int c = 0; c < 6; c++) {
    V s = S(0); bool first = true;
    K_ROWB(TERM)
    yn[c] = y[c] + hh * s;
    V e = ABS(eh * ((k[0][c] + k[10][c]) - (k[11][c] + k[12][c])));
    err = _mm256_max_pd(err, e / (S(K_TOL) + S(K_TOL) * _mm256_max_pd(ABS(y[c]), ABS(yn[c]))));
  }
  V f = S(0.9) / _mm256_sqrt_pd(_mm256_sqrt_pd(_mm256_sqrt_pd(err)));
  f = _mm256_min_pd(S(5), _mm256_max_pd(S(0.2), f));
  *tn = _mm256_blendv_pd(t + hh, S(K_T1), last);
  *hn = hh * f;
  return _mm256_cmp_pd(err, S(1), _CMP_LE_OQ);
}

// ---- lanes: what a group of 4 samples keeps -----------------------------------------------------

typedef struct { V x, v, k, c1, c2, ns; } LanesO;
typedef struct { V y[6], t, h, k; } LanesK;
#define AT(reg, lane) (((double *)&(reg))[lane])

INL void load_o(const Batch *b, LanesO *l, int j, long i) {
  double om = b->om[i], ze = b->ze[i];
  AT(l->x, j) = b->x[i]; AT(l->v, j) = b->v[i]; AT(l->k, j) = b->k[i]; AT(l->ns, j) = b->ns[i];
  AT(l->c1, j) = -(om * om); AT(l->c2, j) = 2.0 * ze * om;
}
INL void store_o(const Batch *b, LanesO *l, int j, long i) {
  b->x[i] = AT(l->x, j); b->v[i] = AT(l->v, j); b->k[i] = AT(l->k, j); b->done[i] = 1;
}
INL void loadv_o(const Batch *b, LanesO *l, long i) {
  V om = _mm256_loadu_pd(b->om + i), ze = _mm256_loadu_pd(b->ze + i);
  l->x = _mm256_loadu_pd(b->x + i); l->v = _mm256_loadu_pd(b->v + i); l->k = _mm256_loadu_pd(b->k + i); l->ns = _mm256_loadu_pd(b->ns + i);
  l->c1 = -(om * om); l->c2 = S(2) * ze * om;
}
INL void storev_o(const Batch *b, LanesO *l, long i) {
  _mm256_storeu_pd(b->x + i, l->x); _mm256_storeu_pd(b->v + i, l->v); _mm256_storeu_pd(b->k + i, l->k);
  memset(b->done + i, 1, L4);
}
// Values with which a lane without a sample runs on for ever.
INL void park_o(LanesO *l, int j) {
  AT(l->x, j) = AT(l->v, j) = AT(l->k, j) = AT(l->c1, j) = AT(l->c2, j) = 0; AT(l->ns, j) = INFINITY;
}
INL V step_o(LanesO *l, V live) {
  V x = l->x, v = l->v;
  o_stepv(l->c1, l->c2, &x, &v);
  l->x = _mm256_blendv_pd(l->x, x, live);
  l->v = _mm256_blendv_pd(l->v, v, live);
  l->k = l->k + _mm256_and_pd(live, S(1));
  return _mm256_and_pd(live, _mm256_cmp_pd(l->k, l->ns, _CMP_NGE_UQ));
}
INL V done_o(LanesO *l) {
  o_stepv(l->c1, l->c2, &l->x, &l->v);
  l->k = l->k + S(1);
  return _mm256_cmp_pd(l->k, l->ns, _CMP_GE_OQ);
}

INL void load_k(const Batch *b, LanesK *l, int j, long i) {
  UNROLL for (int c = 0; c < 6; c++) AT(l->y[c], j) = b->y[c * b->n + i];
  AT(l->t, j) = b->t[i]; AT(l->h, j) = b->h[i]; AT(l->k, j) = b->k[i];
}
INL void store_k(const Batch *b, LanesK *l, int j, long i) {
  UNROLL for (int c = 0; c < 6; c++) b->y[c * b->n + i] = AT(l->y[c], j);
  b->t[i] = AT(l->t, j); b->h[i] = AT(l->h, j); b->k[i] = AT(l->k, j); b->done[i] = 1;
}
INL void loadv_k(const Batch *b, LanesK *l, long i) {
  UNROLL for (int c = 0; c < 6; c++) l->y[c] = _mm256_loadu_pd(b->y + c * b->n + i);
  l->t = _mm256_loadu_pd(b->t + i); l->h = _mm256_loadu_pd(b->h + i); l->k = _mm256_loadu_pd(b->k + i);
}
INL void storev_k(const Batch *b, LanesK *l, long i) {
  UNROLL for (int c = 0; c < 6; c++) _mm256_storeu_pd(b->y + c * b->n + i, l->y[c]);
  _mm256_storeu_pd(b->t + i, l->t); _mm256_storeu_pd(b->h + i, l->h); _mm256_storeu_pd(b->k + i, l->k);
  memset(b->done + i, 1, L4);
}
INL void park_k(LanesK *l, int j) {
  UNROLL for (int c = 0; c < 6; c++) AT(l->y[c], j) = 1;
  AT(l->t, j) = AT(l->k, j) = -INFINITY; AT(l->h, j) = 0;
}
INL V step_k(LanesK *l, V live) {
  V yn[6], tn, hn, ok = _mm256_and_pd(live, k_tryv(l->y, l->t, l->h, yn, &tn, &hn));
  UNROLL for (int c = 0; c < 6; c++) l->y[c] = _mm256_blendv_pd(l->y[c], yn[c], ok);
  l->t = _mm256_blendv_pd(l->t, tn, ok);
  l->h = _mm256_blendv_pd(l->h, hn, live);
  l->k = l->k + _mm256_and_pd(live, S(1));
  return _mm256_and_pd(live, _mm256_and_pd(_mm256_cmp_pd(l->t, S(K_T1), _CMP_NGE_UQ), _mm256_cmp_pd(l->k, S(K_CAP), _CMP_LT_OQ)));
}
INL V done_k(LanesK *l) {
  V yn[6], tn, hn, ok = k_tryv(l->y, l->t, l->h, yn, &tn, &hn);
  UNROLL for (int c = 0; c < 6; c++) l->y[c] = _mm256_blendv_pd(l->y[c], yn[c], ok);
  l->t = _mm256_blendv_pd(l->t, tn, ok);
  l->h = hn;
  l->k = l->k + S(1);
  return _mm256_or_pd(_mm256_cmp_pd(l->t, S(K_T1), _CMP_GE_OQ), _mm256_cmp_pd(l->k, S(K_CAP), _CMP_GE_OQ));
}

// ---- loops --------------------------------------------------------------------------------------

static const double lanes_of[16][4] = {  // masks by their bits
#define B(i) (((i) ? -1.0 : 0.0))
#define R(i) {B(i & 1), B(i & 2), B(i & 4), B(i & 8)}
  R(0), R(1), R(2), R(3), R(4), R(5), R(6), R(7), R(8), R(9), R(10), R(11), R(12), R(13), R(14), R(15)
#undef R
#undef B
};
// A mask of all ones in the lanes of some bits: compares give such, and "and" with 1.0 needs it.
INL V mask_of(int bits) { return _mm256_cmp_pd(_mm256_loadu_pd(lanes_of[bits]), S(0), _CMP_LT_OQ); }

// Takes new samples into lanes `want` of group g from [next, hi); gives the bits of those that it took.
#define FILL(W, g, want)                                                                          \
  ({                                                                                              \
    int m_ = (want), got_ = 0;                                                                    \
    if (m_ == 15 && hi - next >= L4) {                                                            \
      loadv_##W(b, &l[g], next);                                                                  \
      for (int j_ = 0; j_ < L4; j_++) id[g][j_] = next + j_;                                      \
      next += L4; got_ = 15;                                                                      \
    } else                                                                                        \
      for (; m_ && next < hi; m_ &= m_ - 1) {                                                     \
        int j_ = __builtin_ctz(m_);                                                               \
        load_##W(b, &l[g], j_, next);                                                             \
        id[g][j_] = next++; got_ |= 1 << j_;                                                      \
      }                                                                                           \
    got_;                                                                                         \
  })
#define FLUSH(W, g, which)                                                                        \
  ({                                                                                              \
    int m_ = (which);                                                                             \
    if (m_ == 15 && id[g][3] == id[g][0] + 3 && id[g][2] == id[g][0] + 2 && id[g][1] == id[g][0] + 1) \
      storev_##W(b, &l[g], id[g][0]);                                                             \
    else                                                                                          \
      for (; m_; m_ &= m_ - 1) { int j_ = __builtin_ctz(m_); store_##W(b, &l[g], j_, id[g][j_]); } \
  })

#define DEFINE(W, L, U)                                                                           \
  static void tile_##W##U(const Batch *b, long lo, long hi, int chunk) {                          \
    (void)chunk;                                                                                  \
    for (long next = lo; next < hi;) {                                                            \
      L l[U] = {0}; long id[U][L4]; V live[U], any = S(0); int got[U];                            \
      for (int g = 0; g < U; g++) live[g] = mask_of(got[g] = FILL(W, g, 15)), any = _mm256_or_pd(any, live[g]); \
      while (BITS(any)) {                                                                         \
        any = S(0);                                                                               \
        _Pragma("GCC unroll 8") for (int g = 0; g < U; g++) any = _mm256_or_pd(any, live[g] = step_##W(&l[g], live[g])); \
      }                                                                                           \
      for (int g = 0; g < U; g++) FLUSH(W, g, got[g]);                                            \
    }                                                                                             \
  }                                                                                               \
  static void refill_##W##U(const Batch *b, long lo, long hi, int chunk) {                        \
    long next = lo;                                                                               \
    L l[U] = {0}; long id[U][L4]; V live[U]; int occ[U] = {0};                                    \
    for (int g = 0; g < U; g++) live[g] = S(0);                                                   \
    for (;;) {                                                                                    \
      int any = 0;                                                                                \
      for (int g = 0; g < U; g++) {                                                               \
        int on = BITS(live[g]), dead = ~on & 15;                                                  \
        if (dead && ((occ[g] & dead) || next < hi)) {                                             \
          FLUSH(W, g, occ[g] & dead);                                                             \
          occ[g] = on |= FILL(W, g, dead);                                                        \
          live[g] = mask_of(on);                                                                  \
        }                                                                                         \
        any |= on;                                                                                \
      }                                                                                           \
      if (!any) return;                                                                           \
      for (int c = 0; c < chunk; c++)                                                             \
        _Pragma("GCC unroll 8") for (int g = 0; g < U; g++) live[g] = step_##W(&l[g], live[g]);   \
    }                                                                                             \
  }                                                                                               \
  static void eager_##W##U(const Batch *b, long lo, long hi, int chunk) {                         \
    (void)chunk;                                                                                  \
    long next = lo, left = 0;                                                                     \
    L l[U] = {0}; long id[U][L4];                                                                 \
    for (int g = 0; g < U; g++) {                                                                 \
      int got = FILL(W, g, 15);                                                                   \
      left += __builtin_popcount(got);                                                            \
      for (int m = ~got & 15; m; m &= m - 1) park_##W(&l[g], __builtin_ctz(m));                   \
    }                                                                                             \
    while (left > 0) {                                                                            \
      V d[U], any;                                                                                \
      do {                                                                                        \
        any = S(0);                                                                               \
        _Pragma("GCC unroll 8") for (int g = 0; g < U; g++) any = _mm256_or_pd(any, d[g] = done_##W(&l[g])); \
      } while (__builtin_expect(!BITS(any), 1));                                                  \
      for (int g = 0; g < U; g++) {                                                               \
        int bits = BITS(d[g]);                                                                    \
        if (!bits) continue;                                                                      \
        FLUSH(W, g, bits);                                                                        \
        int none = bits & ~FILL(W, g, bits);                                                      \
        left -= __builtin_popcount(none);                                                         \
        for (; none; none &= none - 1) park_##W(&l[g], __builtin_ctz(none));                      \
      }                                                                                           \
    }                                                                                             \
  }

DEFINE(o, LanesO, 2) DEFINE(o, LanesO, 4) DEFINE(o, LanesO, 6)
DEFINE(k, LanesK, 1) DEFINE(k, LanesK, 2)

// One step of samples [lo, hi); gives how many are live after it.
static long single_o(const Batch *b, long lo, long hi) {
  long left = 0, i = lo;
  for (; i + L4 <= hi; i += L4) {
    int mark;
    memcpy(&mark, b->done + i, L4);
    if (mark == 0x01010101) continue;
    V live = (V)_mm256_cmpeq_epi64(_mm256_cvtepu8_epi64(_mm_cvtsi32_si128(mark)), _mm256_setzero_si256());
    LanesO l;
    loadv_o(b, &l, i);
    int on = BITS(live), still = BITS(step_o(&l, live)), gone = on & ~still;
    _mm256_storeu_pd(b->x + i, l.x); _mm256_storeu_pd(b->v + i, l.v); _mm256_storeu_pd(b->k + i, l.k);
    for (; gone; gone &= gone - 1) b->done[i + __builtin_ctz(gone)] = 1;
    left += __builtin_popcount(still);
  }
  for (; i < hi; i++) {
    if (b->done[i]) continue;
    o_step(-(b->om[i] * b->om[i]), 2.0 * b->ze[i] * b->om[i], b->x + i, b->v + i);
    b->k[i] += 1;
    if (b->k[i] >= b->ns[i]) b->done[i] = 1; else left++;
  }
  return left;
}

static const Arm arms_o[] = {{"scalar", scalar_o, 0}, {"tile2", tile_o2, 0}, {"tile4", tile_o4, 0}, {"tile6", tile_o6, 0},
  {"refill2-16", refill_o2, 16}, {"refill4-4", refill_o4, 4}, {"refill4-8", refill_o4, 8}, {"refill4-16", refill_o4, 16}, {"refill4-32", refill_o4, 32},
  {"refill6-16", refill_o6, 16}, {"eager2", eager_o2, 0}, {"eager4", eager_o4, 0}, {"eager6", eager_o6, 0}};
static const Arm arms_k[] = {{"scalar", scalar_k, 0}, {"tile1", tile_k1, 0}, {"tile2", tile_k2, 0}, {"refill1-1", refill_k1, 1}, {"refill1-4", refill_k1, 4},
  {"refill2-4", refill_k2, 4}, {"eager1", eager_k1, 0}, {"eager2", eager_k2, 0}};
