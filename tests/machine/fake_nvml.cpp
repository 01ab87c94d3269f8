// SPDX-License-Identifier: MIT
//
// The few functions of NVIDIA's management library that the program calls, for
// a driver 535.129.03 with two GPUs that NVLink joins and a third.
#include <cstdio>
#include <cstring>

extern "C" {

int nvmlInit_v2() { return 0; }
int nvmlShutdown() { return 0; }

int nvmlSystemGetDriverVersion(char* text, unsigned size) {
  return std::snprintf(text, size, "535.129.03") > 0 ? 0 : 1;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* pci_id, void** device) {
  static char devices[3];
  for (int i = 0; i < 3; ++i) {
    char name[16];
    std::snprintf(name, sizeof(name), "0000:00:1%c.0", 'b' + i);
    if (std::strcmp(name, pci_id) == 0) *device = &devices[i];
  }
  return *device == nullptr ? 6 : 0;
}

int nvmlDeviceGetP2PStatus(void* one, void* other, int capability,
                           int* status) {
  const auto distance = static_cast<char*>(one) - static_cast<char*>(other);
  void* first = nullptr;
  nvmlDeviceGetHandleByPciBusId_v2("0000:00:1b.0", &first);
  const bool are_joined =
      (distance == 1 || distance == -1) && (one == first || other == first);
  *status = capability == 2 && are_joined ? 0 : 5;
  return 0;
}
}
