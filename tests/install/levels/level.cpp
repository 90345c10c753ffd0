// What the compiler was told that the processor has.
const char* level() {
#if defined(__AVX512F__)
  return "x86-64-v4";
#elif defined(__AVX2__)
  return "x86-64-v3";
#else
  return "x86-64-v2";
#endif
}
