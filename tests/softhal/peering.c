/* peering.c - devices reach each other when both directions are enabled, by whichever process. */
#include "vmm.h"

struct order {
    int enable; /* else: disable */
    uint32_t device, peer;
    int code;
};

static uint32_t status_of(uint32_t device, uint32_t peer)
{
    uint32_t status = 77;
    return drvGetP2PStatus(device, peer, &status) == 0 ? status : 99;
}

static void serve(int orders, int answers)
{
    struct order order;
    while (read(orders, &order, sizeof(order)) == (ssize_t)sizeof(order)) {
        order.code = (int)(order.enable ? halDeviceEnableP2P(order.device, order.peer, 0)
                                        : halDeviceDisableP2P(order.device, order.peer, 0));
        if (write(answers, &order, sizeof(order)) != (ssize_t)sizeof(order)) {
            break;
        }
    }
    _exit(0);
}

static int other_does(const int *orders, const int *answers, int enable, uint32_t device, uint32_t peer)
{
    struct order order = {enable, device, peer, -1};
    int sent = write(orders[1], &order, sizeof(order)) == (ssize_t)sizeof(order);
    return sent && read(answers[0], &order, sizeof(order)) == (ssize_t)sizeof(order) ? order.code : -1;
}

static void arguments(void)
{
    int can = 77;
    uint32_t status = 77;
    CHECK_CODE(halDeviceEnableP2P(1124, 0, 0), 2);
    CHECK_CODE(halDeviceDisableP2P(0, 1124, 0), 2);
    CHECK_CODE(halDeviceEnableP2P(0, 0, 0), 8);
    CHECK_CODE(halDeviceEnableP2P(0, 63, 0), 8);
    CHECK(halDeviceDisableP2P(0, 1, 0) != 0);
    CHECK_CODE(drvGetP2PStatus(0, 1, NULL), 4);
    CHECK_CODE(drvGetP2PStatus(5000, 1, &status), 0);
    CHECK(status == 0);
    CHECK_CODE(halDeviceCanAccessPeer(NULL, 0, 1), 4);
    CHECK_CODE(halDeviceCanAccessPeer(&can, 0, 1124), 2);
    CHECK(can == 77);
    CHECK_CODE(halDeviceCanAccessPeer(&can, 0, 1), 0);
    CHECK(can == 1);
}

static void counting(void)
{
    CHECK_CODE(halDeviceEnableP2P(0, 1, 0), 0);
    CHECK(status_of(0, 1) == 0);
    CHECK_CODE(halDeviceEnableP2P(1, 0, 0), 0);
    CHECK(status_of(0, 1) == 1 && status_of(1, 0) == 1);
    CHECK_CODE(halDeviceEnableP2P(0, 1, 0), 0);
    CHECK_CODE(halDeviceDisableP2P(0, 1, 0), 0);
    CHECK(status_of(0, 1) == 1);
    CHECK_CODE(halDeviceDisableP2P(0, 1, 0), 0);
    CHECK(status_of(0, 1) == 0 && status_of(1, 0) == 0);
    CHECK(halDeviceDisableP2P(0, 1, 0) != 0);
}

int main(void)
{
    int orders[2];
    int answers[2];
    CHECK(pipe(orders) == 0 && pipe(answers) == 0);
    fflush(stdout);
    pid_t other = fork();
    if (other == 0) {
        close(orders[1]);
        close(answers[0]);
        serve(orders[0], answers[1]);
    }
    close(orders[0]);
    close(answers[1]);
    arguments();
    counting(); /* leaves 1 -> 0 enabled */
    CHECK_CODE(other_does(orders, answers, 1, 0, 1), 0);
    CHECK(status_of(0, 1) == 1);
    CHECK(halDeviceDisableP2P(0, 1, 0) != 0);
    CHECK(other_does(orders, answers, 0, 1, 0) > 0);
    CHECK(status_of(0, 1) == 1);
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    CHECK(status_of(0, 1) == 0);
    CHECK_CODE(halDeviceDisableP2P(1, 0, 0), 0);
    return finish();
}
