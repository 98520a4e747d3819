/*
 * Objects of an interpreter, after Cpython-870c0ef7e8a2. A lookup of an attribute takes for granted that the name is
 * a string. For the error message the "string" is made ready, and its buffer of wide characters freed: of a type object,
 * that is another field.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

typedef struct _typeobject PyTypeObject;

typedef struct _object {
  long ob_refcnt;
  PyTypeObject *ob_type;
} PyObject;

typedef struct {
  PyObject ob_base;
  long length;
  long hash;
  int ready;
  wchar_t *wstr;
  char *data;
} PyUnicodeObject;

struct _typeobject {
  PyObject ob_base;
  long ob_size;
  const char *tp_name;
  long tp_basicsize, tp_itemsize;
  const char *const *attributes;
};

static const char *const no_attributes[] = { NULL };
static const char *const string_attributes[] = { "join", "split", "strip", NULL };

static PyTypeObject PyType_Type = { { 1, &PyType_Type }, 0, "type", sizeof(PyTypeObject), 40, no_attributes };
static PyTypeObject PyUnicode_Type = { { 1, &PyType_Type }, 0, "str", sizeof(PyUnicodeObject), 0, string_attributes };
static PyTypeObject PyLong_Type = { { 1, &PyType_Type }, 0, "int", 24, 4, no_attributes };

static char error_text[200];

static void Py_DECREF(PyObject *object) {
  if (--object->ob_refcnt > 0) return;
  if (object->ob_type == &PyUnicode_Type) {
    PyUnicodeObject *unicode = (PyUnicodeObject *)object;
    free(unicode->wstr);
    free(unicode->data);
  }
  free(object);
}

static PyObject *PyUnicode_FromString(const char *text) {
  PyUnicodeObject *unicode = malloc(sizeof *unicode);
  unicode->ob_base.ob_refcnt = 1;
  unicode->ob_base.ob_type = &PyUnicode_Type;
  unicode->length = strlen(text);
  unicode->hash = -1;
  unicode->ready = 0;
  unicode->data = NULL;
  unicode->wstr = malloc((unicode->length + 1) * sizeof(wchar_t));
  for (long i = 0; i <= unicode->length; i++) unicode->wstr[i] = (unsigned char)text[i];
  return &unicode->ob_base;
}

static int PyUnicode_Check(PyObject *object) {
  return object->ob_type == &PyUnicode_Type;
}

static void convert_bytes(const wchar_t *begin, long length, char *to) {
  for (long i = 0; i < length; i++) to[i] = (char)begin[i];
  to[length] = 0;
}

static int _PyUnicode_Ready(PyObject *object) {
  PyUnicodeObject *unicode = (PyUnicodeObject *)object;
  if (unicode->ready == 1) return 0;
  unicode->data = malloc(unicode->length + 1);
  if (PyUnicode_Check(object)) convert_bytes(unicode->wstr, unicode->length, unicode->data);
  free(unicode->wstr); /* BUG */ /* ROOT */
  unicode->wstr = NULL;
  unicode->ready = 1;
  return 0;
}

static const char *text_of(PyObject *object) {
  if (_PyUnicode_Ready(object) < 0) return "?";
  return ((PyUnicodeObject *)object)->data;
}

/** Knows %s and, for strings of the interpreter, %U. */
static void PyErr_Format(const char *kind, const char *format, ...) {
  va_list list;
  char *to = error_text + sprintf(error_text, "%s: ", kind);
  va_start(list, format);
  for (const char *at = format; *at != 0; at++) {
    if (*at != '%') *to++ = *at;
    else if (*++at == 's') to += sprintf(to, "%.50s", va_arg(list, const char *));
    else if (*at == 'U') to += sprintf(to, "%.50s", text_of(va_arg(list, PyObject *)));
  }
  *to = 0;
  va_end(list);
}

static long hash_of(PyObject *name) {
  long hash = (long)name >> 4;
  if (PyUnicode_Check(name)) {
    hash = 0;
    for (const char *at = text_of(name); *at != 0; at++) hash = hash * 31 + *at;
  }
  return hash;
}

static long hash_of_text(const char *text) {
  long hash = 0;
  while (*text != 0) hash = hash * 31 + *text++;
  return hash;
}

static const char *_PyType_Lookup(PyTypeObject *type, PyObject *name) {
  long hash = hash_of(name);
  for (const char *const *at = type->attributes; *at != NULL; at++) {
    if (hash_of_text(*at) == hash) return *at;
  }
  return NULL;
}

static const char *type_getattro(PyTypeObject *type, PyObject *name) {
  const char *attribute;
#ifdef FIXED
  if (!PyUnicode_Check(name)) {
    PyErr_Format("TypeError", "attribute name must be string, not '%s'", name->ob_type->tp_name);
    return NULL;
  }
#endif
  attribute = _PyType_Lookup(type, name);
  if (attribute != NULL) return attribute;
  PyErr_Format("AttributeError", "type object '%s' has no attribute '%U'", type->tp_name, name);
  return NULL;
}

static void show_attribute(PyTypeObject *type, PyObject *name) {
  const char *attribute = type_getattro(type, name);
  puts(attribute != NULL ? attribute : error_text);
}

int main(void) {
  PyObject *split = PyUnicode_FromString("split"), *missing = PyUnicode_FromString("missing");
  show_attribute(&PyUnicode_Type, split);
  show_attribute(&PyUnicode_Type, missing);
  show_attribute(&PyUnicode_Type, (PyObject *)&PyLong_Type);
  Py_DECREF(split);
  Py_DECREF(missing);
  return 0;
}
