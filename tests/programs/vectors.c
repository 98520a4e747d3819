// SSE to SSE4.2 by intrinsics, and popcnt: shuffles, packs, compares, string compares, conversions.
#include <nmmintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
static uint64_t state = 42, sum;
static uint64_t next(void) { state ^= state << 13; state ^= state >> 7; return state ^= state << 17; }
static __m128i any(void) { uint64_t v[2] = {next(), next()}; __m128i r; memcpy(&r, v, 16); return r; }
static void mix(__m128i x) { uint64_t v[2]; memcpy(v, &x, 16); sum = (sum ^ v[0]) * 0x100000001b3 + v[1]; }
static void mixf(__m128 x) { mix(_mm_castps_si128(x)); }
static void mixd(__m128d x) { mix(_mm_castpd_si128(x)); }
int main(void) {
    for (int i = 0; i < 2000; i++) {
        __m128i a = any(), b = any(), c = any(); __m128 f = _mm_cvtepi32_ps(a), g = _mm_cvtepi32_ps(_mm_srai_epi32(b, 12)); __m128d d = _mm_cvtps_pd(f), e = _mm_cvtepi32_pd(b);
        mix(_mm_add_epi8(a, b)); mix(_mm_adds_epi16(a, b)); mix(_mm_subs_epu8(a, b)); mix(_mm_mullo_epi16(a, b)); mix(_mm_mulhi_epu16(a, b)); mix(_mm_madd_epi16(a, b)); mix(_mm_mul_epu32(a, b)); mix(_mm_sad_epu8(a, b)); mix(_mm_avg_epu16(a, b));
        mix(_mm_packs_epi32(a, b)); mix(_mm_packus_epi16(a, b)); mix(_mm_unpacklo_epi8(a, b)); mix(_mm_unpackhi_epi64(a, b)); mix(_mm_shuffle_epi32(a, 0x1b)); mix(_mm_shufflelo_epi16(a, 0x93)); mix(_mm_slli_si128(a, 5)); mix(_mm_sll_epi64(a, _mm_cvtsi32_si128(i & 63))); mix(_mm_sra_epi16(a, _mm_cvtsi32_si128(i & 15)));
        mix(_mm_cmpgt_epi8(a, b)); mix(_mm_cmpeq_epi16(a, b)); mix(_mm_andnot_si128(a, b)); mix(_mm_cvtsi32_si128(_mm_movemask_epi8(a))); mix(_mm_max_epi16(a, b)); mix(_mm_insert_epi16(a, i, 3)); mix(_mm_cvtsi32_si128(_mm_extract_epi16(a, 6)));
        mixf(_mm_add_ps(f, g)); mixf(_mm_div_ps(f, _mm_add_ps(g, _mm_set1_ps(0.5f)))); mixf(_mm_sqrt_ps(_mm_mul_ps(f, f))); mixf(_mm_min_ps(f, g)); mixf(_mm_cmplt_ps(f, g)); mixf(_mm_shuffle_ps(f, g, 0x4e)); mixf(_mm_unpackhi_ps(f, g)); mix(_mm_cvtps_epi32(g)); mix(_mm_cvttps_epi32(_mm_mul_ps(g, _mm_set1_ps(0.37f))));
        mixd(_mm_mul_pd(d, e)); mixd(_mm_div_pd(d, _mm_add_pd(e, _mm_set1_pd(0.25)))); mixd(_mm_sqrt_sd(d, _mm_mul_pd(e, e))); mix(_mm_cvtpd_epi32(d)); mixf(_mm_cvtpd_ps(e)); mixd(_mm_cmpge_pd(d, e)); mix(_mm_cvtsi64_si128(_mm_cvtsd_si64(e))); mixd(_mm_cvtsi64_sd(d, (long long)next())); mix(_mm_cvtsi32_si128(_mm_comilt_sd(d, e)));
        mixf(_mm_hadd_ps(f, g)); mixd(_mm_addsub_pd(d, e)); mixf(_mm_movehdup_ps(f)); mix(_mm_shuffle_epi8(a, b)); mix(_mm_maddubs_epi16(a, b)); mix(_mm_alignr_epi8(a, b, 7)); mix(_mm_abs_epi16(a)); mix(_mm_sign_epi8(a, b)); mix(_mm_mulhrs_epi16(a, b)); mix(_mm_hadds_epi16(a, b));
        mix(_mm_mullo_epi32(a, b)); mix(_mm_mul_epi32(a, b)); mix(_mm_min_epu32(a, b)); mix(_mm_max_epi8(a, b)); mix(_mm_blendv_epi8(a, b, c)); mix(_mm_blend_epi16(a, b, 0x5a)); mix(_mm_cvtepu8_epi32(a)); mix(_mm_cvtepi16_epi64(a)); mix(_mm_packus_epi32(a, b)); mix(_mm_minpos_epu16(a)); mix(_mm_mpsadbw_epu8(a, b, 3)); mix(_mm_cmpeq_epi64(a, b)); mix(_mm_insert_epi64(a, i, 1)); mix(_mm_cvtsi32_si128(_mm_testz_si128(a, b) + 2 * _mm_testc_si128(a, a)));
        mixf(_mm_round_ps(_mm_mul_ps(g, _mm_set1_ps(0.3f)), _MM_FROUND_TO_NEAREST_INT)); mixd(_mm_floor_pd(_mm_mul_pd(e, _mm_set1_pd(0.001)))); mixf(_mm_dp_ps(f, g, 0x71)); mixd(_mm_dp_pd(d, e, 0x33)); mixf(_mm_insert_ps(f, g, 0x98)); mixf(_mm_blendv_ps(f, g, _mm_castsi128_ps(c)));
        __m128i s = _mm_and_si128(a, _mm_set1_epi8(0x63)), t = _mm_and_si128(b, _mm_set1_epi8(0x67)); mix(_mm_cmpestrm(s, i % 17, t, 11, _SIDD_CMP_EQUAL_ANY)); mix(_mm_cvtsi32_si128(_mm_cmpistri(s, t, _SIDD_CMP_RANGES))); mix(_mm_cvtsi32_si128(_mm_cmpestri(s, 3, t, 16, _SIDD_CMP_EQUAL_ORDERED))); mix(_mm_cmpistrm(s, t, _SIDD_UWORD_OPS | _SIDD_CMP_EQUAL_EACH | _SIDD_UNIT_MASK)); mix(_mm_cmpgt_epi64(a, b));
        mix(_mm_cvtsi64_si128((long long)_mm_crc32_u64(next(), next()) + _mm_crc32_u8((unsigned)i, (unsigned char)i) + _mm_popcnt_u64(next()))); float stored[4]; _mm_storeu_ps(stored, f); _mm_maskmoveu_si128(a, b, (char *)stored); mixf(_mm_loadu_ps(stored)); _mm_stream_si128((__m128i *)memset(&a, i, 16), b); mix(a);
        __m64 m = _mm_set_pi16((short)i, 2, -3, 4), n = _mm_set1_pi8((char)i); mix(_mm_movpi64_epi64(_mm_adds_pi16(_mm_mullo_pi16(m, n), _mm_unpacklo_pi8(n, m)))); mixf(_mm_cvtpi32_ps(f, m)); _mm_empty();
    }
    printf("%016llx\n", (unsigned long long)sum);
    return 0;
}
