#include <iostream>

int main() {
    long long k, x
    std::cin >> k >> x;
    std::cout << (x > 1 ? "LEGAL" : "ILLEGAL") << std::endl;
}
