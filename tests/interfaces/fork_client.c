// Stands for the program in a test: has fork_server.cc run the command line, with this process's streams and
// environment, and ends as that ended, by its exit status or its signal. FORK_SERVER: the path of the server's socket.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STRINGS = 127 << 10 };

static pid_t command;

static void pass_on(int number) { kill(command, number); }

static void give_up(const char* what) {
  perror(what);
  _exit(125);
}

static int server(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const char* path = getenv("FORK_SERVER");
  if (path == NULL || strlen(path) >= sizeof address.sun_path) give_up("fork_client: FORK_SERVER");
  strcpy(address.sun_path, path);
  const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (fd < 0 || connect(fd, (const struct sockaddr*)&address, sizeof address) != 0) give_up("fork_client: connect");
  return fd;
}

static size_t append(char* strings, size_t size, char** list) {
  for (; *list != NULL; ++list) {
    const size_t length = strlen(*list) + 1;
    if (length > MAX_STRINGS - size) give_up("fork_client: too many arguments");
    memcpy(strings + size, *list, length);
    size += length;
  }
  return size;
}

static void send_request(int fd, uint32_t count, char** arguments) {
  static char strings[MAX_STRINGS];
  const size_t size = append(strings, append(strings, 0, arguments), environ);
  struct iovec parts[] = {{&count, sizeof count}, {strings, size}};
  const int streams[] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof streams)];
  } control = {.header = {.cmsg_len = CMSG_LEN(sizeof streams), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
  memcpy(CMSG_DATA(&control.header), streams, sizeof streams);
  const struct msghdr message = {
      .msg_iov = parts, .msg_iovlen = 2, .msg_control = &control, .msg_controllen = sizeof control};
  if (sendmsg(fd, &message, MSG_NOSIGNAL) < 0) give_up("fork_client: send");
}

static int receive(int fd) {
  int number = 0;
  const ssize_t size = TEMP_FAILURE_RETRY(recv(fd, &number, sizeof number, 0));
  if (size != (ssize_t)sizeof number) give_up("fork_client: the server is gone");
  return number;
}

int main(int argc, char** argv) {
  const int fd = server();
  send_request(fd, (uint32_t)argc, argv);
  command = receive(fd);
  // What has the streams is the command: its reader and its writer see their ends close when it ends, not when this
  // does.
  for (int stream = 0; stream < 2; ++stream) close(stream);
  signal(SIGTERM, pass_on);
  signal(SIGINT, pass_on);
  signal(SIGABRT, pass_on);
  const int status = receive(fd);
  if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
  const struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  signal(WTERMSIG(status), SIG_DFL);
  raise(WTERMSIG(status));
  return 125;
}
