// Reports to ingero which step of which epoch a loop is in. Plain C++17 and POSIX: g++ annotate.cc -o annotate
//
//   annotate [SOCKET]     (with `sudo ingero trace --annotate --annotate-socket-gid $(id -g)` running)
//
// The program goes on when no agent listens, and never waits for one.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include <time.h>

class Annotator {
 public:
  explicit Annotator(const char* path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
    socket_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket_ < 0 || ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) return;
    close();
  }
  ~Annotator() { close(); }
  Annotator(const Annotator&) = delete;
  Annotator& operator=(const Annotator&) = delete;

  // The labels hold for this process until they are said again.
  void step(int epoch, int step) {
    if (socket_ < 0) return;
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    char line[160];
    const int size = std::snprintf(
        line, sizeof(line), "{\"v\":1,\"ts\":%lld%09ld,\"pid\":\"self\",\"labels\":{\"epoch\":%d,\"step\":%d}}\n",
        static_cast<long long>(now.tv_sec), now.tv_nsec, epoch, step);
    // Half a line is worse than none.
    if (::send(socket_, line, static_cast<size_t>(size), MSG_NOSIGNAL | MSG_DONTWAIT) != size) close();
  }

 private:
  void close() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }
  int socket_ = -1;
};

int main(int argc, char** argv) {
  Annotator annotator(argc > 1 ? argv[1] : "/run/ingero/annotate.sock");
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (int step = 0; step < 3; ++step) {
      annotator.step(epoch, 3 * epoch + step);
      ::usleep(50'000);  // the work
    }
  }
}
