// Lanes of AVX-512: 8 samples of float64 in a register, their state under mask registers.
// Needs F, DQ, VL and BMI2; included by cpu.c.
#pragma once

typedef __m512d V;
typedef __mmask8 M;
#define S(a) _mm512_set1_pd(a)

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
  V g = S(-1.0) / (r2 * _mm512_sqrt_pd(r2));
  a[0] = g * p[0]; a[1] = g * p[1]; a[2] = g * p[2];
}

INL void k_stepv(M live, V *y, V *t, V *h) {
  V k[13][6], z[6], n[6];
  V left = S(K_T1) - *t;
  M last = _mm512_cmp_pd_mask(*h, left, _CMP_GE_OQ);
  V hh = _mm512_mask_mov_pd(*h, last, left);
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
    n[c] = y[c] + hh * s;
    V e = _mm512_abs_pd(eh * ((k[0][c] + k[10][c]) - (k[11][c] + k[12][c])));
    err = _mm512_max_pd(err, e / (S(K_TOL) + S(K_TOL) * _mm512_max_pd(_mm512_abs_pd(y[c]), _mm512_abs_pd(n[c]))));
  }
  M ok = live & _mm512_cmp_pd_mask(err, S(1), _CMP_LE_OQ);
  V f = S(0.9) / _mm512_sqrt_pd(_mm512_sqrt_pd(_mm512_sqrt_pd(err)));
  f = _mm512_min_pd(S(5), _mm512_max_pd(S(0.2), f));
  UNROLL for (int c = 0; c < 6; c++) y[c] = _mm512_mask_mov_pd(y[c], ok, n[c]);
  *t = _mm512_mask_mov_pd(*t, ok, _mm512_mask_mov_pd(*t + hh, last, S(K_T1)));
  *h = _mm512_mask_mov_pd(*h, live, hh * f);
}

// ---- lanes: what a group of 8 samples keeps in registers ----------------------------------------

typedef struct { V x, v, k, c1, c2, ns; } LanesO;
typedef struct { V y[6], t, h, k; } LanesK;

// The refill loop loads lanes `m` from the samples at next, next+1, ... and stores lanes `m` to the samples `id`.
#define GET(reg, plane) reg = _mm512_mask_expandloadu_pd(reg, m, (plane) + next)
#define PUT(reg, plane) _mm512_mask_i64scatter_pd(plane, m, id, reg, 8)

INL void load_o(const Batch *b, LanesO *l, M m, long next) {
  V om = S(0), ze = S(0);
  GET(om, b->om); GET(ze, b->ze); GET(l->x, b->x); GET(l->v, b->v); GET(l->k, b->k); GET(l->ns, b->ns);
  l->c1 = _mm512_mask_mov_pd(l->c1, m, -(om * om));
  l->c2 = _mm512_mask_mov_pd(l->c2, m, S(2) * ze * om);
}
INL void store_o(const Batch *b, LanesO *l, M m, __m512i id) { PUT(l->x, b->x); PUT(l->v, b->v); PUT(l->k, b->k); }
INL M step_o(LanesO *l, M live) {
  V x = l->x, v = l->v;
  o_stepv(l->c1, l->c2, &x, &v);
  l->x = _mm512_mask_mov_pd(l->x, live, x);
  l->v = _mm512_mask_mov_pd(l->v, live, v);
  l->k = _mm512_mask_add_pd(l->k, live, l->k, S(1));
  return _mm512_mask_cmp_pd_mask(live, l->k, l->ns, _CMP_NGE_UQ);
}

INL void load_k(const Batch *b, LanesK *l, M m, long next) {
  UNROLL for (int c = 0; c < 6; c++) GET(l->y[c], b->y + c * b->n);
  GET(l->t, b->t); GET(l->h, b->h); GET(l->k, b->k);
}
INL void store_k(const Batch *b, LanesK *l, M m, __m512i id) {
  UNROLL for (int c = 0; c < 6; c++) PUT(l->y[c], b->y + c * b->n);
  PUT(l->t, b->t); PUT(l->h, b->h); PUT(l->k, b->k);
}
INL M step_k(LanesK *l, M live) {
  k_stepv(live, l->y, &l->t, &l->h);
  l->k = _mm512_mask_add_pd(l->k, live, l->k, S(1));
  return _mm512_mask_cmp_pd_mask(live, l->t, S(K_T1), _CMP_NGE_UQ) & _mm512_cmp_pd_mask(l->k, S(K_CAP), _CMP_LT_OQ);
}

static const long long iota8[8] = {0, 1, 2, 3, 4, 5, 6, 7};

// Fills the lanes of one group from [next, hi); returns how many it took.
#define FILL(W, g, want)                                                                          \
  ({                                                                                              \
    M m_ = (M)(want);                                                                             \
    long left_ = hi - next;                                                                       \
    if (__builtin_popcount(m_) > left_) m_ = (M)_pdep_u32((1u << left_) - 1, m_);                 \
    if (m_) {                                                                                     \
      load_##W(b, &l[g], m_, next);                                                               \
      id[g] = _mm512_mask_mov_epi64(id[g], m_, _mm512_add_epi64(_mm512_set1_epi64(next),          \
                                    _mm512_maskz_expand_epi64(m_, _mm512_loadu_si512(iota8))));   \
    }                                                                                             \
    next += __builtin_popcount(m_);                                                               \
    m_;                                                                                           \
  })
#define FLUSH(W, g, which)                                                                        \
  ({                                                                                              \
    M m_ = (M)(which);                                                                            \
    if (m_) {                                                                                     \
      store_##W(b, &l[g], m_, id[g]);                                                             \
      long long i_[8]; _mm512_storeu_si512(i_, id[g]);                                            \
      for (unsigned r_ = m_; r_; r_ &= r_ - 1) b->done[i_[__builtin_ctz(r_)]] = 1;                \
    }                                                                                             \
  })

#define DEFINE(W, L, U)                                                                           \
  static void tile_##W##U(const Batch *b, long lo, long hi, int chunk) {                          \
    (void)chunk;                                                                                  \
    for (long next = lo; next < hi;) {                                                            \
      L l[U] = {0}; __m512i id[U] = {0}; M live[U], got[U]; int any = 0;                          \
      for (int g = 0; g < U; g++) any |= live[g] = got[g] = FILL(W, g, 0xff);                     \
      while (any) {                                                                               \
        any = 0;                                                                                  \
        _Pragma("GCC unroll 8") for (int g = 0; g < U; g++) any |= live[g] = step_##W(&l[g], live[g]); \
      }                                                                                           \
      for (int g = 0; g < U; g++) FLUSH(W, g, got[g]);                                            \
    }                                                                                             \
  }                                                                                               \
  static void refill_##W##U(const Batch *b, long lo, long hi, int chunk) {                        \
    long next = lo;                                                                               \
    L l[U] = {0}; __m512i id[U] = {0}; M live[U] = {0}, occ[U] = {0};                             \
    for (;;) {                                                                                    \
      int any = 0;                                                                                \
      for (int g = 0; g < U; g++) {                                                               \
        M dead = (M)~live[g];                                                                     \
        if (dead && ((occ[g] & dead) || next < hi)) {                                             \
          FLUSH(W, g, occ[g] & dead);                                                             \
          occ[g] = live[g] |= FILL(W, g, dead);                                                   \
        }                                                                                         \
        any |= live[g];                                                                           \
      }                                                                                           \
      if (!any) return;                                                                           \
      for (int c = 0; c < chunk; c++)                                                             \
        _Pragma("GCC unroll 8") for (int g = 0; g < U; g++) live[g] = step_##W(&l[g], live[g]);   \
    }                                                                                             \
  }

DEFINE(o, LanesO, 2) DEFINE(o, LanesO, 4)
DEFINE(k, LanesK, 1) DEFINE(k, LanesK, 2)

// One step of samples [lo, hi); gives how many are live after it.
static long single_o(const Batch *b, long lo, long hi) {
  long left = 0;
  for (long i = lo; i < hi; i += 8) {
    M in = hi - i < 8 ? (M)((1 << (hi - i)) - 1) : 0xff;
    long mark;
    memcpy(&mark, b->done + i, 8);  // planes are padded
    M live = in & _mm_cmpeq_epi8_mask(_mm_cvtsi64_si128(mark), _mm_setzero_si128());
    if (!live) continue;
    V om = _mm512_maskz_loadu_pd(live, b->om + i), ze = _mm512_maskz_loadu_pd(live, b->ze + i);
    LanesO l = {.x = _mm512_maskz_loadu_pd(live, b->x + i), .v = _mm512_maskz_loadu_pd(live, b->v + i), .k = _mm512_maskz_loadu_pd(live, b->k + i),
                .c1 = -(om * om), .c2 = S(2) * ze * om, .ns = _mm512_maskz_loadu_pd(live, b->ns + i)};
    M still = step_o(&l, live);
    _mm512_mask_storeu_pd(b->x + i, live, l.x); _mm512_mask_storeu_pd(b->v + i, live, l.v); _mm512_mask_storeu_pd(b->k + i, live, l.k);
    for (unsigned gone = live & ~still; gone; gone &= gone - 1) b->done[i + __builtin_ctz(gone)] = 1;
    left += __builtin_popcount(still);
  }
  return left;
}

static const Arm arms_o[] = {{"scalar", scalar_o, 0}, {"tile2", tile_o2, 0}, {"tile4", tile_o4, 0},
  {"refill2-16", refill_o2, 16}, {"refill4-4", refill_o4, 4}, {"refill4-8", refill_o4, 8}, {"refill4-16", refill_o4, 16}, {"refill4-32", refill_o4, 32}};
static const Arm arms_k[] = {{"scalar", scalar_k, 0}, {"tile1", tile_k1, 0}, {"tile2", tile_k2, 0}, {"refill1-1", refill_k1, 1}, {"refill1-4", refill_k1, 4}, {"refill2-4", refill_k2, 4}};
