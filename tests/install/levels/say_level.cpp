#include <cstdio>

const char* level();

int main() { std::puts(level()); }
