// What LeakSanitizer leaves out: HDF5 loses memory where a file is damaged, which is what some tests are about.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5\n"; }
