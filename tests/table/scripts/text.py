# Regular expressions, Unicode, JSON, hashing, compression, text formats.
import re, json, hashlib, zlib, bz2, lzma, base64, unicodedata, textwrap, string, csv, io, difflib, binascii, hmac

text = ("The year 1999, 2024-02-29 and 12/31/1987; mail: a.b@example.org, x_y@test.co.uk. " * 30)
print(re.findall(r"\b(\d{4})-(\d\d)-(\d\d)\b", text)[:2], len(re.findall(r"[\w.]+@[\w.]+\w", text)))
print(re.sub(r"(?P<m>\d+)/(?P<d>\d+)/(?P<y>\d+)", r"\g<y>-\g<m>-\g<d>", text)[:90])
print(re.split(r"\s*[;,]\s*", text)[:3], re.match(r"(a+)+b", "a" * 18 + "c"))
data = {"name": "Ünï", "values": [1, 2.5, 1e-9, None, True], "nested": {"k" * i: list(range(i)) for i in range(6)}}
encoded = json.dumps(data, sort_keys=True, indent=1)
print(encoded, json.loads(encoded) == data, json.dumps("\u2028\ud800é"))
for name in ("md5", "sha1", "sha256", "sha512", "sha3_256", "blake2b", "blake2s"):
    print(name, hashlib.new(name, text.encode()).hexdigest())
print(hmac.new(b"key", b"message", "sha256").hexdigest(), hashlib.pbkdf2_hmac("sha256", b"pw", b"salt", 50).hex())
raw = text.encode() * 5
print(zlib.crc32(raw), zlib.adler32(raw), len(zlib.compress(raw, 9)), binascii.crc_hqx(raw, 0))
print(bz2.decompress(bz2.compress(raw)) == raw, lzma.decompress(lzma.compress(raw)) == raw, hashlib.md5(bz2.compress(raw)).hexdigest())
print(base64.b85encode(raw[:40]), base64.b32encode(raw[:10]))
for c in "Aßé漢😀\u0301٣":
    print(unicodedata.name(c), unicodedata.category(c), unicodedata.bidirectional(c), unicodedata.normalize("NFD", c).encode())
print("straße".upper(), "İ".lower().encode(), "ǅ".title(), "ΣΊΣΥΦΟΣ".lower(), "٣".isdigit(), "abc".center(11, "·"))
print(textwrap.fill(text[:300], 40), string.Template("$a ${b}").substitute(a=1, b=2))
out = io.StringIO(); csv.writer(out).writerows([[1, 'a "q"', "x,y"], [None, 2.5, "line\nbreak"]]); print(repr(out.getvalue()))
print("\n".join(difflib.unified_diff("abcde", "abxde", lineterm="")))
print("%-10s|%+06.2f|%r|%%|%c" % ("left", 3.14159, "q'", 0x263A), "{0!r:>8}|{x:^9}|{y:08b}".format("a", x="mid", y=77))
