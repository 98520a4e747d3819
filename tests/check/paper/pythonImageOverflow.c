/*
 * Conversions of images, after Cpython-08135a1f3f5d. The sizes that callers give are multiplied in 32 bits; of a very
 * large image what is allocated is tiny, and what is written is not.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { long refs; int size; char *bytes; } PyStringObject;

typedef struct { const char *name; int (*convert)(void); } method;

static char error_text[80];

static int set_error(const char *text) {
  strcpy(error_text, text);
  return 0;
}

static PyStringObject *PyString_FromStringAndSize(const char *text, int size) {
  PyStringObject *string = malloc(sizeof *string);
  string->refs = 1;
  string->size = size;
  string->bytes = malloc((unsigned)size + 1); /* ALLOC */
  if (text != NULL) memcpy(string->bytes, text, size);
  string->bytes[size] = 0;
  return string;
}

static void release(PyStringObject *string) {
  if (--string->refs > 0) return;
  free(string->bytes);
  free(string);
}

/** Whether x * y pixels of this many bytes fit; what the converters that were repaired before use. */
static int check_multiply_size(int product, int x, int y, int size) {
  if (x <= 0 || y <= 0) return set_error("sizes must be positive");
  if ((int64_t)x * y > INT32_MAX / size) return set_error("image too large");
  return product == x * y * size ? 1 : set_error("String has incorrect length");
}

static PyStringObject *imageop_grey2mono(PyStringObject *image, int x, int y, int threshold) {
  PyStringObject *result;
  if (!check_multiply_size(image->size, x, y, 1)) return NULL;
  result = PyString_FromStringAndSize(NULL, (x * y + 7) / 8);
  memset(result->bytes, 0, result->size);
  for (int i = 0; i < x * y; i++) {
    if ((unsigned char)image->bytes[i] > threshold) result->bytes[i / 8] |= 1 << i % 8;
  }
  return result;
}

static PyStringObject *imageop_grey2rgb(PyStringObject *image, int x, int y) {
  PyStringObject *result;
  if (!check_multiply_size(image->size, x, y, 1)) return NULL;
  if (!check_multiply_size(x * y * 4, x, y, 4)) return NULL;
  result = PyString_FromStringAndSize(NULL, x * y * 4);
  for (int i = 0; i < x * y; i++) {
    uint32_t value = (unsigned char)image->bytes[i];
    value |= value << 8 | value << 16;
    memcpy(result->bytes + i * 4, &value, 4);
  }
  return result;
}

static uint32_t pixel_of(PyStringObject *image, unsigned i) {
  uint32_t value;
  memcpy(&value, image->bytes + i % (image->size / 4) * 4, 4);
  return value;
}

static unsigned char pack(uint32_t value) {
  unsigned r = (value & 0xff) * 7 / 255, g = (value >> 8 & 0xff) * 7 / 255, b = (value >> 16 & 0xff) * 3 / 255;
  return r << 5 | b << 3 | g;
}

static PyStringObject *imageop_rgb2rgb8(PyStringObject *image, int x, int y) {
  PyStringObject *result;
  unsigned char *ncp;
  unsigned i, nlen;
  nlen = (unsigned)x * (unsigned)y;
#ifdef FIXED
  if (!check_multiply_size(image->size, x, y, 4)) return NULL;
#endif
  if (nlen * 4 != (unsigned)image->size) {
    set_error("String has incorrect length");
    return NULL;
  }
  result = PyString_FromStringAndSize(NULL, image->size / 4);
  ncp = (unsigned char *)result->bytes;
  for (i = 0; i < nlen; i++) {
    uint32_t value = pixel_of(image, i);
    *ncp++ = pack(value); /* BUG */ /* ROOT */
  }
  return result;
}

static void show(const char *what, PyStringObject *image) {
  unsigned sum = 0;
  if (image == NULL) {
    printf("%s: %s\n", what, error_text);
    return;
  }
  for (int i = 0; i < image->size; i++) sum = sum * 31 + (unsigned char)image->bytes[i];
  printf("%s: %d bytes, %08x\n", what, image->size, sum);
  release(image);
}

static PyStringObject *gradient(int width, int height) {
  PyStringObject *image = PyString_FromStringAndSize(NULL, width * height);
  for (int i = 0; i < image->size; i++) image->bytes[i] = i * 255 / image->size;
  return image;
}

int main(void) {
  PyStringObject *grey = gradient(16, 8);
  PyStringObject *colour = imageop_grey2rgb(grey, 16, 8);
  show("mono", imageop_grey2mono(grey, 16, 8, 100));
  show("rgb8", imageop_rgb2rgb8(colour, 16, 8));
  show("large", imageop_rgb2rgb8(colour, 0x8000010, 8));
  show("negative", imageop_grey2mono(grey, -16, -8, 100));
  release(grey);
  release(colour);
  return 0;
}
