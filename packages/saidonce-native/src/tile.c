/* Pairs of short rows that a bound does not rule out.
 *
 * A row's code holds its first w - 1 numbers as whole multiples of 2^-14, and in its last place the length of all that
 * follows them, rounded up. By Cauchy and Schwarz the product of two codes is, but for the rounding of the leading
 * numbers, no less than the product of the rows. It is a whole number below 2^31, so that every processor computes the
 * same one. What it leaves possible is compared by float32 products, first of the short rows, then of the whole ones,
 * each with the margin that the caller's floor allows for. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(_WIN32)
#define API __declspec(dllexport)
#else
#define API __attribute__((visibility("default")))
#endif

#if defined(__x86_64__) && defined(__GNUC__)
#define HAS_AVX2_KERNEL 1
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2,fma")))
#endif

#define ABI 1
#define STEP 16384.0 /* 2^14 */
#define PANEL 8      /* earlier rows whose numbers lie side by side */

/* One call's arguments; its order and types are mirrored by saidonce. */
typedef struct {
    const int16_t *later;   /* codes of the later rows, (n_later, w) */
    const int16_t *earlier; /* panels of the earlier rows */
    const float *later_short, *earlier_short; /* (n, width) */
    const float *rows;      /* all whole rows, (.., dim) */
    const int64_t *places;  /* of the earlier rows among all; NULL if they lie one after another from first_place */
    const int32_t *floors;  /* of each later row: the least product of codes that counts */
    const float *short_floors; /* of each later row: the least product of short rows that counts */
    int64_t n_later, n_earlier, w, width, dim;
    int64_t first_place;    /* place of the first earlier row where places is NULL */
    int64_t start;          /* place of the first later row */
    int64_t triangle;       /* count only pairs whose earlier row has the lower place */
    int64_t most;           /* room for so many pairs */
    double floor;           /* the least product of whole rows that counts */
    int64_t *first, *second;
    float *near;
    int64_t n_bounded;      /* returned: pairs that the codes left possible */
} Call;

API int64_t saidonce_abi(void) { return ABI; }

/* Whether there is a kernel for this processor. */
API int64_t saidonce_is_fast(void) {
#ifdef HAS_AVX2_KERNEL
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return 0;
#endif
}

static int16_t leading(float number) { return (int16_t)lrint((double)number * STEP); }

static int16_t rest(const float *row, int64_t from, int64_t width) {
    double sum = 0.0;
    for (int64_t d = from; d < width; d++) sum += (double)row[d] * (double)row[d];
    return (int16_t)(ceil(sqrt(sum) * STEP * (1.0 + 1e-12)));
}

/* Codes of n rows of `width` numbers: w of them each, w even and at most `width` rounded up to even. */
API void saidonce_encode(const float *rows, int64_t n, int64_t width, int64_t w, int16_t *codes) {
    int64_t lead = w - 1 < width ? w - 1 : width;
    for (int64_t i = 0; i < n; i++) {
        const float *row = rows + i * width;
        int16_t *code = codes + i * w;
        for (int64_t d = 0; d < lead; d++) code[d] = leading(row[d]);
        for (int64_t d = lead; d < w; d++) code[d] = 0;
        code[w - 1] = rest(row, lead, width);
    }
}

/* The same codes in panels: two numbers of each of eight rows, then the next two. Codes beyond n are zero. */
API void saidonce_panels(const int16_t *codes, int64_t n, int64_t w, int16_t *panels) {
    int64_t n_panels = (n + PANEL - 1) / PANEL;
    memset(panels, 0, (size_t)(n_panels * PANEL * w) * sizeof(int16_t));
    for (int64_t i = 0; i < n; i++)
        for (int64_t d = 0; d < w; d++)
            panels[(i / PANEL) * PANEL * w + (d / 2) * PANEL * 2 + (i % PANEL) * 2 + d % 2] = codes[i * w + d];
}

#ifdef HAS_AVX2_KERNEL
AVX2 static float product_avx2(const float *a, const float *b, int64_t n) {
    __m256 one = _mm256_setzero_ps(), two = _mm256_setzero_ps();
    int64_t d = 0;
    for (; d + 16 <= n; d += 16) {
        one = _mm256_fmadd_ps(_mm256_loadu_ps(a + d), _mm256_loadu_ps(b + d), one);
        two = _mm256_fmadd_ps(_mm256_loadu_ps(a + d + 8), _mm256_loadu_ps(b + d + 8), two);
    }
    float sums[8], sum = 0.0f;
    _mm256_storeu_ps(sums, _mm256_add_ps(one, two));
    for (; d < n; d++) sum += a[d] * b[d];
    for (int k = 0; k < 8; k++) sum += sums[k];
    return sum;
}

/* Look at one pair that the codes left possible; -1 if there is no room for it. */
AVX2 static inline int64_t settle(Call *call, int64_t i, int64_t j, int64_t n) {
    if (j >= call->n_earlier) return n;
    int64_t second = call->start + i, first = call->places ? call->places[j] : call->first_place + j;
    if (call->triangle && first >= second) return n;
    call->n_bounded++;
    const float *a = call->later_short + i * call->width, *b = call->earlier_short + j * call->width;
    if (product_avx2(a, b, call->width) < call->short_floors[i]) return n;
    float near = product_avx2(call->rows + first * call->dim, call->rows + second * call->dim, call->dim);
    if ((double)near < call->floor) return n;
    if (n == call->most) return -1;
    call->first[n] = first;
    call->second[n] = second;
    call->near[n] = near;
    return n + 1;
}

#define ROWS 4 /* later rows compared together: their sums fill the registers */

/* Look at the pairs of one later row and two panels. */
AVX2 static int64_t settle_two(
    Call *call, int64_t i, int64_t p, __m256i left, __m256i right, int64_t n) {
    __m256i below = _mm256_set1_epi32(call->floors[i] - 1);
    unsigned hits = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(left, below))) |
                    (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(right, below))) << PANEL;
    while (hits && n >= 0) {
        n = settle(call, i, p * PANEL + __builtin_ctz(hits), n);
        hits &= hits - 1;
    }
    return n;
}

AVX2 static inline int32_t two_numbers(const int16_t *at) {
    int32_t both;
    memcpy(&both, at, sizeof both);
    return both;
}

AVX2 static int64_t near_avx2(Call *call) {
    int64_t n = 0, w = call->w, half = w / 2, n_panels = (call->n_earlier + PANEL - 1) / PANEL;
    for (int64_t p = 0; p < n_panels; p += 2) {
        const int16_t *left = call->earlier + p * PANEL * w;
        const int16_t *right = p + 1 < n_panels ? left + PANEL * w : left;
        int64_t i = 0;
        for (; i + ROWS <= call->n_later; i += ROWS) {
            const int16_t *code = call->later + i * w;
            __m256i sums[ROWS][2];
            for (int r = 0; r < ROWS; r++) sums[r][0] = sums[r][1] = _mm256_setzero_si256();
            for (int64_t h = 0; h < half; h++) {
                __m256i l = _mm256_loadu_si256((const __m256i *)(left + h * PANEL * 2));
                __m256i g = _mm256_loadu_si256((const __m256i *)(right + h * PANEL * 2));
                for (int r = 0; r < ROWS; r++) {
                    __m256i c = _mm256_set1_epi32(two_numbers(code + r * w + 2 * h));
                    sums[r][0] = _mm256_add_epi32(sums[r][0], _mm256_madd_epi16(c, l));
                    sums[r][1] = _mm256_add_epi32(sums[r][1], _mm256_madd_epi16(c, g));
                }
            }
            __m256i any = _mm256_setzero_si256();
            for (int r = 0; r < ROWS; r++) {
                __m256i below = _mm256_set1_epi32(call->floors[i + r] - 1);
                any = _mm256_or_si256(any, _mm256_cmpgt_epi32(_mm256_max_epi32(sums[r][0], sums[r][1]), below));
            }
            if (_mm256_testz_si256(any, any)) continue;
            for (int r = 0; r < ROWS && n >= 0; r++) n = settle_two(call, i + r, p, sums[r][0], sums[r][1], n);
            if (n < 0) return n;
        }
        for (; i < call->n_later; i++) {
            const int16_t *code = call->later + i * w;
            __m256i l = _mm256_setzero_si256(), g = _mm256_setzero_si256();
            for (int64_t h = 0; h < half; h++) {
                __m256i c = _mm256_set1_epi32(two_numbers(code + 2 * h));
                l = _mm256_add_epi32(l, _mm256_madd_epi16(c, _mm256_loadu_si256((const __m256i *)(left + h * 16))));
                g = _mm256_add_epi32(g, _mm256_madd_epi16(c, _mm256_loadu_si256((const __m256i *)(right + h * 16))));
            }
            n = settle_two(call, i, p, l, g, n);
            if (n < 0) return n;
        }
    }
    return n;
}
#endif

/* Fill in the pairs that may be near, and return how many; -1 if there are more than there is room for, -2 if there is no
 * kernel for this processor. */
API int64_t saidonce_near(Call *call) {
    call->n_bounded = 0;
#ifdef HAS_AVX2_KERNEL
    if (saidonce_is_fast()) return near_avx2(call);
#endif
    return -2;
}
