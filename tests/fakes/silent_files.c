// A file system that stops answering: a real FUSE server over /dev/fuse, with one file in it, a copy of a real one.
//
//   silent_files FOLDER FILE SECONDS [--silent-to COMM]... [--gate PATH] [--user UID]
//
// Mounts itself at FOLDER, prints "ready" and serves FILE there under its own name. Left without an answer for ever:
// every open and read of a process whose name begins with COMM; and once PATH exists, every request. It ends by itself
// after SECONDS, which ends every wait for it: nothing else may be needed for that, least of all fork(). --user is what
// the mount says of who serves it.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOT = 1, ONLY_FILE = 2, BUFFER_BYTES = 1 << 20, MOST_NAMES = 8 };

static const char* silent_to[MOST_NAMES];
static int n_silent_to;
static const char* gate;
static const char* file_name;
static char* content;
static struct stat of_content;
static int device;

static int answer(const struct fuse_in_header* in, int error, const void* body, size_t bytes) {
  static char out[sizeof(struct fuse_out_header) + BUFFER_BYTES];
  struct fuse_out_header header = {(unsigned)(sizeof(header) + bytes), error, in->unique};
  memcpy(out, &header, sizeof(header));
  if (bytes > 0) memcpy(out + sizeof(header), body, bytes);
  return write(device, out, header.len) == (ssize_t)header.len;
}

static void fill(struct fuse_attr* attr, uint64_t node) {
  memset(attr, 0, sizeof(*attr));
  attr->ino = node;
  attr->mode = node == ROOT ? S_IFDIR | 0755 : S_IFREG | 0755;
  attr->nlink = 1;
  attr->blksize = 4096;
  attr->size = node == ROOT ? 0 : (uint64_t)of_content.st_size;
  attr->blocks = (attr->size + 511) / 512;
}

// Is this one left to wait?
static int is_silent(const struct fuse_in_header* in) {
  if (gate != NULL && access(gate, F_OK) == 0) return 1;
  if (in->opcode != FUSE_OPEN && in->opcode != FUSE_READ && in->opcode != FUSE_FLUSH) return 0;
  char path[64], name[64] = "";
  snprintf(path, sizeof(path), "/proc/%u/comm", in->pid);
  const int comm = open(path, O_RDONLY | O_CLOEXEC);
  if (comm < 0) return 0;
  if (read(comm, name, sizeof(name) - 1) < 0) name[0] = '\0';
  close(comm);
  for (int i = 0; i < n_silent_to; ++i) {
    if (strncmp(name, silent_to[i], strlen(silent_to[i])) == 0) return 1;
  }
  return 0;
}

static void serve(const struct fuse_in_header* in, const void* body) {
  switch (in->opcode) {
    case FUSE_INIT: {
      const struct fuse_init_in* init = body;
      struct fuse_init_out out = {.major = FUSE_KERNEL_VERSION, .minor = FUSE_KERNEL_MINOR_VERSION};
      out.max_readahead = init->max_readahead;
      out.max_write = 4096;
      answer(in, 0, &out, sizeof(out));
      break;
    }
    case FUSE_LOOKUP: {
      if (in->nodeid != ROOT || strcmp(body, file_name) != 0) {
        answer(in, -ENOENT, NULL, 0);
        break;
      }
      struct fuse_entry_out out = {.nodeid = ONLY_FILE, .entry_valid = 3600, .attr_valid = 3600};
      fill(&out.attr, ONLY_FILE);
      answer(in, 0, &out, sizeof(out));
      break;
    }
    case FUSE_GETATTR: {
      struct fuse_attr_out out = {.attr_valid = 3600};
      fill(&out.attr, in->nodeid);
      answer(in, 0, &out, sizeof(out));
      break;
    }
    case FUSE_OPEN:
    case FUSE_OPENDIR: {
      struct fuse_open_out out = {.open_flags = 0};
      answer(in, 0, &out, sizeof(out));
      break;
    }
    case FUSE_READ: {
      const struct fuse_read_in* read = body;
      const uint64_t size = (uint64_t)of_content.st_size;
      const uint64_t from = read->offset < size ? read->offset : size;
      const uint64_t bytes = read->size < size - from ? read->size : size - from;
      answer(in, 0, content + from, bytes < BUFFER_BYTES ? bytes : BUFFER_BYTES);
      break;
    }
    case FUSE_READDIR:
    case FUSE_FLUSH:
    case FUSE_RELEASE:
    case FUSE_RELEASEDIR:
    case FUSE_ACCESS:
      answer(in, 0, NULL, 0);
      break;
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET:
    case FUSE_INTERRUPT:
      break;  // no answer is wanted
    default:
      answer(in, -ENOSYS, NULL, 0);
  }
}

static int fail(const char* what) {
  fprintf(stderr, "silent_files: %s: %s\n", what, strerror(errno));
  return 1;
}

int main(int argc, char** argv) {
  int user = 0;
  if (argc < 4) {
    fprintf(stderr, "usage: silent_files FOLDER FILE SECONDS [--silent-to COMM]... [--gate PATH] [--user UID]\n");
    return 2;
  }
  alarm((unsigned)atoi(argv[3]));  // before anything waits for us
  for (int i = 4; i + 1 < argc; i += 2) {
    if (strcmp(argv[i], "--silent-to") == 0 && n_silent_to < MOST_NAMES) silent_to[n_silent_to++] = argv[i + 1];
    if (strcmp(argv[i], "--gate") == 0) gate = argv[i + 1];
    if (strcmp(argv[i], "--user") == 0) user = atoi(argv[i + 1]);
  }
  const char* slash = strrchr(argv[2], '/');
  file_name = slash == NULL ? argv[2] : slash + 1;
  const int source = open(argv[2], O_RDONLY | O_CLOEXEC);
  if (source < 0 || fstat(source, &of_content) != 0) return fail(argv[2]);
  // Read and not mapped: a mapping has the breakpoints of its tracer.
  content = malloc((size_t)of_content.st_size);
  if (content == NULL || read(source, content, (size_t)of_content.st_size) != of_content.st_size) return fail("read");
  device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
  if (device < 0) return fail("/dev/fuse");
  char options[128];
  snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=%d,group_id=0,allow_other", device, user);
  if (mount("silent", argv[1], "fuse.silent", MS_NOSUID | MS_NODEV, options) != 0) return fail("mount");
  puts("ready");
  fflush(stdout);
  static char request[BUFFER_BYTES];
  for (;;) {
    const ssize_t got = read(device, request, sizeof(request));
    if (got < 0 && (errno == EINTR || errno == ENOENT || errno == EAGAIN)) continue;
    if (got < (ssize_t)sizeof(struct fuse_in_header)) return 0;  // unmounted
    const struct fuse_in_header* in = (const void*)request;
    if (!is_silent(in)) serve(in, request + sizeof(*in));
  }
}
