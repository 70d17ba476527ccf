/* Divisions without a result, one for each argument, 0 to 2: the sanitizer must find them.  Where it does not, the
 * processor's own signal, or none, ends the program as if all were well. */
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static void end(int number) {
    (void)number;
    _exit(0);
}

int main(int count, char **arguments) {
    static volatile int numbers[] = {INT_MIN, -1, 0};
    volatile int result = 0;
    signal(SIGFPE, end);
    switch (count > 1 ? atoi(arguments[1]) : 0) {
        case 0: result = numbers[0] / numbers[1]; break;
        case 1: result = numbers[0] % numbers[1]; break;
        default: result = numbers[0] / numbers[2]; break;
    }
    (void)result;
    return 0;
}
