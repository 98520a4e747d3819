int main(){ int i=1; unsigned char c=200; short s=-3; long l=5; _Bool b=1; float f=1.5f; double d=2.5; long double ld=3.14L; __int128 q=5; unsigned u=7; unsigned __int128 uq=7;
 return i; }
