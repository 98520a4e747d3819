/*
 * The pickler of an interpreter, after Cpython-83d0945eea42. Objects are born with all fields zero, and __init__ makes
 * their buffer. A subclass that never calls the __init__ of its base has a pickler without one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WRITE_BUF_SIZE 256

typedef struct pickler {
  long refs;
  int proto;
  int bin;
  int buf_size;
  char *write_buf;
  FILE *write;
} PicklerObject;

typedef struct { const char *name; int (*init)(PicklerObject *self, FILE *file, int proto); } type;

static const char *error_text;

static PicklerObject *generic_alloc(void) {
  PicklerObject *self = malloc(sizeof *self); /* ALLOC */
  memset(self, '\0', sizeof *self); /* ROOT */
  self->refs = 1;
  return self;
}

static int Pickler_init(PicklerObject *self, FILE *file, int proto) {
  self->write = file;
  self->proto = proto;
  self->bin = proto > 0;
  self->write_buf = malloc(WRITE_BUF_SIZE);
  return self->write_buf == NULL ? -1 : 0;
}

/** Of a class whose author forgot about the base. */
static int CarelessPickler_init(PicklerObject *self, FILE *file, int proto) {
  self->write = file;
  self->proto = proto;
  self->bin = 1;
  return 0;
}

static const type types[] = { { "Pickler", Pickler_init }, { "CarelessPickler", CarelessPickler_init } };

static int flush(PicklerObject *self) {
  if (self->buf_size == 0) return 0;
  if (fwrite(self->write_buf, 1, self->buf_size, self->write) != (size_t)self->buf_size) return -1;
  self->buf_size = 0;
  return 0;
}

static void store(char *to, const char *from, int count) {
  for (int i = 0; i < count; i++) to[i] = from[i];
}

static int pickler_write(PicklerObject *self, const char *text, int count) {
  if (self->buf_size + count > WRITE_BUF_SIZE && flush(self) < 0) return -1;
  if (count > WRITE_BUF_SIZE) return (int)fwrite(text, 1, count, self->write) == count ? 0 : -1;
  if (count == 1) self->write_buf[self->buf_size] = *text; /* BUG */
  else store(self->write_buf + self->buf_size, text, count);
  self->buf_size += count;
  return 0;
}

static int save_proto(PicklerObject *self) {
  char mark = (char)0x80, proto = (char)self->proto;
  if (self->proto < 2) return 0;
  return pickler_write(self, &mark, 1) < 0 ? -1 : pickler_write(self, &proto, 1);
}

static int save_long(PicklerObject *self, long value) {
  char text[32];
  int length;
  if (self->bin && value >= 0 && value < 256) {
    text[0] = 'K';
    text[1] = (char)value;
    length = 2;
  } else {
    length = sprintf(text, "I%ld\n", value);
  }
  return pickler_write(self, text, length);
}

static int save_string(PicklerObject *self, const char *value) {
  char head[2] = { 'U', (char)strlen(value) };
  if (pickler_write(self, head, 2) < 0) return -1;
  return pickler_write(self, value, strlen(value));
}

static int dump(PicklerObject *self, const long *values, int count, const char *name) {
#ifdef FIXED
  if (self->write_buf == NULL) {
    error_text = "Pickler.__init__() was not called";
    return -1;
  }
#endif
  if (save_proto(self) < 0) return -1;
  for (int i = 0; i < count; i++) {
    if (save_long(self, values[i]) < 0) return -1;
  }
  if (save_string(self, name) < 0) return -1;
  return pickler_write(self, ".", 1) < 0 ? -1 : flush(self);
}

static void release(PicklerObject *self) {
  if (--self->refs > 0) return;
  free(self->write_buf);
  free(self);
}

static PicklerObject *new_pickler(const type *type, FILE *file, int proto) {
  PicklerObject *self = generic_alloc();
  if (type->init(self, file, proto) < 0) {
    release(self);
    return NULL;
  }
  return self;
}

int main(void) {
  static const long values[] = { 1, 200, 70000, -3 };
  char *bytes = NULL;
  size_t size = 0;
  for (int i = 0; i < 2; i++) {
    FILE *file = open_memstream(&bytes, &size);
    PicklerObject *pickler = new_pickler(&types[i], file, 2);
    int result = dump(pickler, values, 4, types[i].name);
    fclose(file);
    if (result < 0) printf("%s: %s\n", types[i].name, error_text);
    else printf("%s: %d bytes\n", types[i].name, (int)size);
    release(pickler);
    free(bytes);
  }
  return 0;
}
